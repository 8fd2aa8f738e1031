package io.sluice.model.plain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.kv.PlainFrame;
import io.sluice.model.plain.PlainKvs.KeyEncoding;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of plain keys and values, as docs/how-to/rocksdb.md gives them. */
class PlainKvsTest {
    private static TableDef table(String columns) {
        return Ddl.parse("CREATE TABLE t (" + columns + ")", "test").get(0);
    }

    /** The bytes of a column whose text is given, as a key. */
    private static byte[] key(String type, KeyEncoding encoding, String text) {
        TableDef def = table("c " + type + " NOT NULL");
        return encoded(PlainKvs.of(def, List.of("c"), encoding, PlainKvs.JSON), text)[0];
    }

    private static byte[][] encoded(PlainKvs plain, String... texts) {
        Row row = new Row(texts.length);
        for (int i = 0; i < texts.length; i++) {
            if (texts[i] != null) {
                byte[] bytes = texts[i].getBytes(StandardCharsets.UTF_8);
                DatumParser parser =
                        DatumParser.of(plain.table().def().columns().get(i).type());
                assertEquals(null, parser.parse(bytes, 0, bytes.length, row, i), texts[i]);
            }
        }
        KvEncoder encoder = plain.encoders().get(0);
        int room = encoder.maxBytes(row);
        byte[] buffer = new byte[room + 3];
        long lengths = encoder.encode(row, buffer, 3);
        int keyEnd = 3 + (int) (lengths >>> 32);
        int end = keyEnd + (int) lengths;
        assertTrue(end <= buffer.length);
        return new byte[][] {
            Arrays.copyOfRange(buffer, 3 + plain.frame().prefixBytes(), keyEnd),
            Arrays.copyOfRange(buffer, keyEnd + PlainFrame.HEADER_BYTES, end)
        };
    }

    @ParameterizedTest
    @CsvSource({
        "BOOL, true, 01, 01",
        "INT2, -2, fffe, 7ffe",
        "INT4, 1, 00000001, 80000001",
        "INT8, -1, ffffffffffffffff, 7fffffffffffffff",
        "FLOAT4, 1.5, 3fc00000, bfc00000",
        "FLOAT8, -1.5, bff8000000000000, 4007ffffffffffff",
        "FLOAT8, -0, 8000000000000000, 8000000000000000",
        "FLOAT8, NaN, 7ff8000000000000, fff8000000000000",
        "DATE, 1970-01-03, 00000002, 80000002",
        "DATE, infinity, 7fffffff, ffffffff",
        "TIME, 00:00:00.000258, 0000000000000102, 8000000000000102",
        "TIMESTAMP, 1970-01-01 00:00:01, 00000000000f4240, 80000000000f4240",
        "TIMESTAMPTZ, infinity, 7fffffffffffffff, ffffffffffffffff",
        "UUID, 123e4567-e89b-12d3-a456-426614174000, 123e4567e89b12d3a456426614174000, 123e4567e89b12d3a456426614174000",
        "STRING, é, c3a9, c3a90001",
        "BYTES, \\x61006200, 61006200, 6100ff6200ff0001",
    })
    void keyIsThese(String type, String text, String plain, String ordered) {
        assertEquals(plain, HexFormat.of().formatHex(key(type, KeyEncoding.PLAIN, text)));
        assertEquals(ordered, HexFormat.of().formatHex(key(type, KeyEncoding.ORDERED, text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INT2,-32768,-1,0,1,32767",
                "INT8,-9223372036854775808,-256,-255,-1,0,1,255,256,9223372036854775807",
                "FLOAT8,-Infinity,-1e300,-1,-1e-300,0,1e-300,1,1e300,Infinity,NaN",
                "FLOAT4,-Infinity,-2,-1,0,1,2,Infinity,NaN",
                "DATE,-infinity,0044-03-15 BC,1969-12-31,1970-01-01,2026-11-23,infinity",
                "TIMESTAMP,-infinity,1969-12-31 23:59:59.999999,1970-01-01,2026-11-23 01:02:03,infinity",
                "BYTES,\\x,\\x00,\\x0000,\\x0001,\\x00ff,\\x01,\\x0100,\\x61,\\xff,\\xff00,\\xffff",
            })
    void orderedKeysHaveTheOrderOfTheirValues(String values) {
        String[] parts = values.split(",", -1);
        for (int i = 2; i < parts.length; i++) {
            byte[] smaller = key(parts[0], KeyEncoding.ORDERED, parts[i - 1]);
            byte[] larger = key(parts[0], KeyEncoding.ORDERED, parts[i]);
            assertTrue(Arrays.compareUnsigned(smaller, larger) < 0, parts[i - 1] + " < " + parts[i]);
        }
    }

    @Test
    void orderedColumnsEndBeforeTheNext() {
        PlainKvs plain = PlainKvs.of(
                table("a STRING NOT NULL, b STRING NOT NULL"), List.of("a", "b"), KeyEncoding.ORDERED, PlainKvs.JSON);
        byte[][] some = encoded(plain, "a", "bc");
        assertEquals("6100016263" + "0001", HexFormat.of().formatHex(some[0]));
        assertEquals("{}", new String(some[1], StandardCharsets.UTF_8));
        assertTrue(Arrays.compareUnsigned(some[0], encoded(plain, "ab", "")[0]) < 0);
    }

    @Test
    void jsonEscapesAndKeepsDigits() {
        PlainKvs plain = PlainKvs.of(
                table("k INT8 NOT NULL, \"a\"\"b\" STRING, d DECIMAL, i INT8, f FLOAT8"),
                List.of("k"),
                KeyEncoding.PLAIN,
                PlainKvs.JSON);
        String wide = "-123456789012345678901234567890123456789012345678901234567890.12345678901234567890";
        byte[][] kv = encoded(plain, "1", "\u0001\\\"é\n", wide, "-9223372036854775808", "-Infinity");
        assertEquals(
                "{\"a\\\"b\":\"\\u0001\\\\\\\"é\\u000a\",\"d\":" + wide
                        + ",\"i\":-9223372036854775808,\"f\":\"-Infinity\"}",
                new String(kv[1], StandardCharsets.UTF_8));
    }

    @Test
    void schemaThatCannotBeEncodedIsRefusedWithAWayOut() {
        assertRefused("c DECIMAL NOT NULL", KeyEncoding.ORDERED, PlainKvs.JSON, "use --key-encoding plain");
        assertRefused("c INT8 NOT NULL, \"a-b\" INT8", KeyEncoding.PLAIN, PlainKvs.AVRO, "use --value json");
        PlainKvs decimals =
                PlainKvs.of(table("c INT8 NOT NULL, d DECIMAL(4,2)"), List.of("c"), KeyEncoding.PLAIN, PlainKvs.AVRO);
        assertEquals("0202" + "64", HexFormat.of().formatHex(encoded(decimals, "1", "1")[1]));
        BadInputException refused = assertThrows(BadInputException.class, () -> encoded(decimals, "1", "NaN"));
        assertTrue(String.valueOf(refused.getMessage()).contains("use --value json"), refused.getMessage());
    }

    private static void assertRefused(String columns, KeyEncoding encoding, String value, String wayOut) {
        BadInputException refused =
                assertThrows(BadInputException.class, () -> PlainKvs.of(table(columns), List.of("c"), encoding, value));
        assertTrue(String.valueOf(refused.getMessage()).contains(wayOut), refused.getMessage());
    }
}
