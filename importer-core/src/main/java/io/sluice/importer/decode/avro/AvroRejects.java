package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.Reject;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the rejects of binary formats. Their records are shown as Avro's JSON where they can be read, which
 * {@code --format avro-json} reads again, and else as the first bytes in hex.
 */
final class AvroRejects {
    /** Enough to recognise a block by. */
    private static final int HEX_BYTES = 256;

    private final TableDef table;

    AvroRejects(TableDef table) {
        this.table = table;
    }

    /** A record whose bytes are good and whose values are not; {@code in} has its problem. */
    Reject ofValues(Reject.Unit unit, long line, long byteOffset, AvroInput in, String where, byte[] record) {
        DatumProblem problem = Objects.requireNonNull(in.problem());
        return new Reject(
                new Reject.Place(unit, line, byteOffset),
                new Reject.Problem(
                        0,
                        table.columns().get(in.problemColumn()).name(),
                        problem.code().name().toLowerCase(Locale.ROOT),
                        problem.message() + where),
                record,
                false);
    }

    /** Bytes that are no records. */
    static Reject ofBytes(long row, long records, long byteOffset, String message, byte[] buffer, int from, int to) {
        return new Reject(
                new Reject.Place(Reject.Unit.ROW, row, byteOffset),
                Math.max(1, records),
                Reject.Problem.ofRecord(Reject.Code.MALFORMED, message),
                hex(buffer, from, to),
                true,
                null);
    }

    private static byte[] hex(byte[] buffer, int from, int to) {
        String digits = HexFormat.of().formatHex(buffer, from, Math.min(to, from + HEX_BYTES));
        return ("\\x" + digits).getBytes(StandardCharsets.US_ASCII);
    }

    /** A record as JSON. */
    static byte[] json(Schema schema, byte[] buffer, int from, int to) {
        byte[] json = inAvroJson(schema, buffer, from, to);
        if (json == null) {
            return hex(buffer, from, to);
        }
        return json;
    }

    /** One binary datum as JSON; null when the library cannot read it. */
    @SuppressWarnings("AvoidCatchingStackOverflow")
    private static byte @Nullable [] inAvroJson(Schema schema, byte[] buffer, int from, int to) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(buffer, from, to - from, null);
            Object datum = new GenericDatumReader<Object>(schema).read(null, decoder);
            Encoder encoder = EncoderFactory.get().jsonEncoder(schema, out);
            new GenericDatumWriter<Object>(schema).write(datum, encoder);
            encoder.flush();
            return out.toByteArray();
        } catch (IOException | RuntimeException | StackOverflowError e) {
            return null;
        }
    }
}
