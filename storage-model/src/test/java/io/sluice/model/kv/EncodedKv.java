package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A KV that an encoder has written. */
@SuppressWarnings("ArrayRecordComponent")
record EncodedKv(byte[] key, byte[] value) {
    private static final byte UNTOUCHED = 0x55;
    private static final int OFFSET = 3;
    private static final int GUARD = 32;

    /** Encodes at an odd offset, and checks that the encoder touched no byte outside of its room. */
    static EncodedKv of(KvEncoder encoder, Row row) {
        int room = encoder.maxBytes(row);
        byte[] buffer = new byte[OFFSET + room + GUARD];
        Arrays.fill(buffer, UNTOUCHED);
        long lengths = encoder.encode(row, buffer, OFFSET);
        int keyEnd = OFFSET + (int) (lengths >>> Integer.SIZE);
        int valueEnd = keyEnd + (int) lengths;
        assertTrue(valueEnd <= OFFSET + room, "maxBytes is too small");
        for (int i = 0; i < OFFSET; i++) {
            assertEquals(UNTOUCHED, buffer[i], "wrote before its offset");
        }
        for (int i = OFFSET + room; i < buffer.length; i++) {
            assertEquals(UNTOUCHED, buffer[i], "wrote beyond maxBytes");
        }
        return new EncodedKv(Arrays.copyOfRange(buffer, OFFSET, keyEnd), Arrays.copyOfRange(buffer, keyEnd, valueEnd));
    }

    /** The KVs of one entry: that of family 0, then those of other families that the row has. */
    static List<EncodedKv> all(KvEncoder encoder, Row row) {
        List<EncodedKv> kvs = new ArrayList<>();
        kvs.add(of(encoder, row));
        for (KvEncoder family : encoder.families()) {
            EncodedKv kv = of(family, row);
            if (kv.key.length > 0) {
                kvs.add(kv);
            }
        }
        return kvs;
    }

    String keyHex() {
        return HexFormat.of().formatHex(key);
    }

    String valueHex() {
        return HexFormat.of().formatHex(value);
    }

    /** Formats key and value with a space between them, as in the worked examples. */
    String hex() {
        return keyHex() + " " + valueHex();
    }
}
