package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decoding invalid bytes throws {@link CorruptKvException} and no other exception. The repetition is the seed. */
final class CorruptKvTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static final HexFormat HEX = HexFormat.of();
    private static final int ROWS = 4;
    private static final int DAMAGES = 100;

    @RepeatedTest(40)
    void truncatedBytesDecodeOrAreCorrupt(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        Table table = RandomTables.table(random);
        RowDecoder decoder = new RowDecoder(table);
        Row row = new Row(table.def().columns().size());
        Row decoded = new Row(table.def().columns().size());
        for (int i = 0; i < ROWS; i++) {
            RandomDatums.fill(table, row, random);
            for (IndexEncoder index : IndexEncoder.ofAll(table)) {
                EncodedKv kv = EncodedKv.of(index, row);
                String what = "seed " + seed + ", row " + i + ", index " + index.ordinal() + ", length ";
                for (int length = 0; length < kv.key().length; length++) {
                    byte[] key = Arrays.copyOf(kv.key(), length);
                    assertThrows(
                            CorruptKvException.class,
                            () -> decode(decoder, index.ordinal(), key, kv.value(), decoded),
                            what + length);
                    assertFalse(owns(decoder, index.ordinal(), key), what + length);
                    assertFalse(KvCrc.matches(key, kv.value()), what + length);
                }
                for (int length = 0; length < kv.value().length; length++) {
                    byte[] value = Arrays.copyOf(kv.value(), length);
                    // A cut between two columns leaves a valid shorter tuple; only the CRC detects it.
                    boolean decodes = decodes(decoder, index.ordinal(), kv.key(), value, decoded);
                    assertTrue(length >= ValueEncoding.HEADER_BYTES || !decodes, what + length);
                    assertFalse(KvCrc.matches(kv.key(), value), what + length);
                }
            }
        }
    }

    @RepeatedTest(40)
    void damagedBytesNeverCrash(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        SplittableRandom random = new SplittableRandom(seed);
        Table table = RandomTables.table(random);
        RowDecoder decoder = new RowDecoder(table);
        Row row = new Row(table.def().columns().size());
        Row decoded = new Row(table.def().columns().size());
        RandomDatums.fill(table, row, random);
        for (IndexEncoder index : IndexEncoder.ofAll(table)) {
            EncodedKv kv = EncodedKv.of(index, row);
            for (int i = 0; i < DAMAGES; i++) {
                String what = "seed " + seed + ", index " + index.ordinal() + ", damage " + i;
                byte[] key = damaged(kv.key(), random);
                byte[] value = damaged(kv.value(), random);
                boolean owned = owns(decoder, index.ordinal(), key);
                boolean decodes = decodes(decoder, index.ordinal(), key, kv.value(), decoded);
                assertTrue(owned || !decodes, what);
                boolean intact = Arrays.equals(value, kv.value());
                assertTrue(decodes(decoder, index.ordinal(), kv.key(), value, decoded) || !intact, what);
                assertEquals(intact, KvCrc.matches(kv.key(), value), what);
            }
        }
    }

    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        byte[] damaged = bytes.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        return damaged;
    }

    private static void decode(RowDecoder decoder, int ordinal, byte[] key, byte[] value, Row row) {
        if (ordinal == 0) {
            decoder.decodePrimary(key, value, row);
        } else {
            decoder.decodeSecondary(ordinal, key, value, row);
        }
    }

    private static boolean decodes(RowDecoder decoder, int ordinal, byte[] key, byte[] value, Row row) {
        try {
            decode(decoder, ordinal, key, value, row);
            return true;
        } catch (CorruptKvException e) {
            return false;
        }
    }

    private static boolean owns(RowDecoder decoder, int ordinal, byte[] key) {
        try {
            return decoder.owns(ordinal, key);
        } catch (CorruptKvException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            key belongs to another table or index  | bc8989 88 | 00000000 0a
            key has NULL in a primary key column   | bb8900 88 | 00000000 0a
            key holds no unsigned integer          | bb89fe 88 | 00000000 0a
            key holds no integer                   | bb8942 88 | 00000000 0a
            key ends too early                     | bb8989    | 00000000 0a
            key does not end as keys of column     | bb898989  | 00000000 0a
            key does not end as keys of column     | bb89898888| 00000000 0a
            value ends too early                   | bb898988  | 00000000
            value has type 3, expected 10          | bb898988  | 00000000 03
            value holds the same column twice      | bb898988  | 00000000 0a 2600 06
            value holds a column of id 4, which    | bb898988  | 00000000 0a 4302
            value holds a column of id 1, which    | bb898988  | 00000000 0a 1302
            value has a datum of type 3 in a column| bb898988  | 00000000 0a 2302
            value ends too early                   | bb898988  | 00000000 0a 2605 416c
            value ends too early                   | bb898988  | 00000000 0a 26 8fffffffffffffff7f
            value holds a length or tag beyond     | bb898988  | 00000000 0a 26 ffffffffffffffffffff7f
            value holds a DECIMAL longer than      | bb898988  | 00000000 0a 3505 348d
            value holds a DECIMAL that is not as   | bb898988  | 00000000 0a 3502 2700
            value holds a DECIMAL shorter than     | bb898988  | 00000000 0a 3502 34f70100
            value holds no DECIMAL                 | bb898988  | 00000000 0a 3501 99
            """)
    void messageSaysWhatIsWrong(String what, String key, String value) throws IOException {
        Table accounts = VectorTables.get("accounts");
        byte[] keyBytes = HEX.parseHex(key.replace(" ", ""));
        byte[] valueBytes = HEX.parseHex(value.replace(" ", ""));
        CorruptKvException e = assertThrows(CorruptKvException.class, () -> new RowDecoder(accounts)
                .decodePrimary(keyBytes, valueBytes, new Row(3)));
        assertTrue(
                String.valueOf(e.getMessage()).startsWith("corrupt KV: " + what)
                        && String.valueOf(e.getMessage()).endsWith("; key " + HEX.formatHex(keyBytes)),
                e.getMessage());
    }

    @Test
    void checksumOfAnotherKeyDoesNotMatch() {
        byte[] value = HEX.parseHex("cb0644270a");
        assertTrue(KvCrc.matches(HEX.parseHex("bb898d88"), value));
        assertFalse(KvCrc.matches(HEX.parseHex("bb898e88"), value));
        assertFalse(KvCrc.matches(HEX.parseHex("bb898d88"), new byte[0]));
    }
}
