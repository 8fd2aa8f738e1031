package io.sluice.importer.decode.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Shows binary datums in Avro's JSON encoding, for rejects. {@link JsonDatum} is the way back. */
final class DatumJson {
    private DatumJson() {}

    /** One binary datum as JSON; null when the library cannot read it. */
    @SuppressWarnings("AvoidCatchingStackOverflow")
    static byte @Nullable [] of(Schema schema, byte[] buffer, int from, int to) {
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
