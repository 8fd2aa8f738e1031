package io.sluice.importer.decode.avro;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Avro's binary encoding, written by hand, right or wrong. */
final class AvroBytes {
    private static final byte[] SYNC = "sixteen bytes...".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A file's header; single quotes stand for double ones. */
    static AvroBytes header(String schema, String codec) {
        return new AvroBytes()
                .raw(new byte[] {'O', 'b', 'j', 1})
                .number(2)
                .string("avro.schema")
                .string(schema.replace('\'', '"'))
                .string("avro.codec")
                .string(codec)
                .number(0)
                .sync();
    }

    AvroBytes number(long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    AvroBytes string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return number(bytes.length).raw(bytes);
    }

    AvroBytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    AvroBytes sync() {
        return raw(SYNC);
    }

    AvroBytes block(long records, byte[] data) {
        return number(records).number(data.length).raw(data).sync();
    }

    byte[] deflated() {
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (DeflaterOutputStream stream = new DeflaterOutputStream(deflated, new Deflater(9, true))) {
            out.writeTo(stream);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return deflated.toByteArray();
    }

    byte[] toArray() {
        return out.toByteArray();
    }
}
