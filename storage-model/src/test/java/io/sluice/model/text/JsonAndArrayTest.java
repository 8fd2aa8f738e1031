package io.sluice.model.text;

import static io.sluice.model.text.DatumProblem.Code.BAD_UTF8;
import static io.sluice.model.text.DatumProblem.Code.OUT_OF_RANGE;
import static io.sluice.model.text.DatumProblem.Code.SYNTAX;
import static io.sluice.model.text.DatumProblem.Code.TOO_LONG;
import static io.sluice.model.text.Texts.assertProblem;
import static io.sluice.model.text.Texts.assertThrough;
import static io.sluice.model.text.Texts.good;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * JSON and arrays. The bytes follow util/json/encode.go and the encoding of arrays of CockroachDB 20.2; the texts of
 * arrays are those that PostgreSQL 15 prints.
 */
class JsonAndArrayTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int DOCUMENTS = 2_000;

    private static final ColumnType JSON = ColumnType.of(TypeKind.JSON);
    private static final ColumnType INTS = ColumnType.arrayOf(ColumnType.of(TypeKind.INT8));
    private static final ColumnType TEXTS = ColumnType.arrayOf(ColumnType.of(TypeKind.STRING));
    private static final ColumnType BOOLS = ColumnType.arrayOf(ColumnType.of(TypeKind.BOOL));

    private static String bytes(ColumnType type, String text) {
        Row row = good(type, text);
        return HexFormat.of().formatHex(row.buffer(1), row.offset(1), row.offset(1) + row.length(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "null | 20000000 00000000",
                "true | 20000000 40000000",
                "false | 20000000 30000000",
                "\"ab\" | 20000000 10000002 6162",
                // The number 1.50 has the exponent 1 and the coefficient 150.
                "1.50 | 20000000 20000004 03348996",
                "[] | 80000000",
                "{} | 40000000",
                "[null, \"a\"] | 80000002 80000000 10000001 61",
                "{\"b\": true, \"a\": \"x\"} | 40000002 90000001 10000001 90000003 40000000 61 62 78",
                "{\"a\": 1, \"a\": null} | 40000001 90000001 80000001 61",
                "[[]] | 80000001 d0000004 80000000"
            })
    void documentsHaveTheBytesOfCockroach(String text, String hex) {
        assertEquals(hex.replace(" ", ""), bytes(JSON, text));
    }

    @Test
    void every32ndEntryHasTheEndOfItsDatum() {
        String text = IntStream.range(0, 34).mapToObj(i -> "\"ab\"").collect(Collectors.joining(", ", "[", "]"));
        String hex = bytes(JSON, text);
        assertEquals("80000022" + "90000002" + "10000002", hex.substring(0, 24));
        assertEquals("10000002" + "90000042" + "10000002", hex.substring(8 + 8 * 31, 8 + 8 * 34));
        assertThrough(text, JSON, text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{1,2,-3} | 01 03 03 02 04 05",
                "{} | 01 03 00",
                "{1,NULL} | 11 03 02 02 02",
                "[1, null] | 11 03 02 02 02"
            })
    void arraysHaveTheBytesOfCockroach(String text, String hex) {
        assertEquals(hex.replace(" ", ""), bytes(INTS, text));
    }

    @Test
    void elementsOfOtherTypesHaveTheBytesOfCockroach() {
        assertEquals("010602016103626364".replace(" ", ""), bytes(TEXTS, "{a,bcd}"));
        assertEquals("010a020a0b", bytes(BOOLS, "{t,f}"));
        assertEquals("010501" + "03348996", bytes(ColumnType.arrayOf(ColumnType.of(TypeKind.DECIMAL)), "{1.50}"));
        // The type of a BIT takes two bytes; three bits are one word.
        assertEquals("010f11010" + "3a000000000000000", bytes(ColumnType.arrayOf(ColumnType.bits(0, false)), "{101}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"b\":1,\"a\":[1,2]} | {\"a\": [1, 2], \"b\": 1}",
                "[ ] | []",
                "12345678901234567890.123456789012345678901234567890 | 12345678901234567890.123456789012345678901234567890",
                "1.10 | 1.10",
                "-0.0 | 0.0",
                "1e30 | 1E+30",
                "\"\\u00e9\\ud83d\\ude00\\/\\n\" | \"\u00e9\ud83d\ude00/\\n\"",
                "\"\\u0000\\u001f\" | \"\\u0000\\u001f\"",
                "{\"\": {\"\": {}}} | {\"\": {\"\": {}}}"
            })
    void documentsArePrintedInOneForm(String text, String expected) {
        assertThrough(expected, JSON, text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "{", "[1,]", "{\"a\"}", "{a: 1}", "'a'", "nul", "01", "1 2", "\"\\x\"", "[1 2]", "NaN", "{} x"
            })
    void noDocuments(String text) {
        assertProblem(SYNTAX, JSON, text);
    }

    @Test
    void whatNoDocumentMayHaveIsNamed() {
        assertProblem(OUT_OF_RANGE, JSON, "[1e99999]");
        assertProblem(SYNTAX, JSON, "[".repeat(1_001) + "]".repeat(1_001));
        assertProblem(SYNTAX, JSON, "[\"\\ud83d\"]");
        DatumProblem problem = Texts.parse(JSON, new byte[] {'"', (byte) 0xff, '"'}, new Row(3));
        assertNotNull(problem);
        assertEquals(BAD_UTF8, problem.code());
        assertThrough("[".repeat(1_000) + "]".repeat(1_000), JSON, "[".repeat(1_000) + "]".repeat(1_000));
    }

    @Test
    void randomDocumentsAreThoseThatAnotherReaderReads() throws Exception {
        ObjectMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
        Random random = new Random(SEED);
        for (int i = 0; i < DOCUMENTS; i++) {
            JsonNode document = document(random, 4);
            String text = mapper.writeValueAsString(document);
            String printed = Texts.through(JSON, text);
            assertEquals(document, mapper.readTree(printed), () -> "seed " + SEED + ": " + text);
            assertEquals(printed, Texts.through(JSON, String.valueOf(printed)), () -> "seed " + SEED + ": " + text);
        }
    }

    private static JsonNode document(Random random, int depth) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0 -> nodes.nullNode();
            case 1 -> nodes.booleanNode(random.nextBoolean());
            case 2 -> nodes.numberNode(random.nextInt());
            case 3 ->
                DecimalNode.valueOf(
                        new BigDecimal(new BigInteger(random.nextInt(150), random), 1 + random.nextInt(30)));
            case 4 -> nodes.textNode(text(random));
            case 5 -> {
                ArrayNode array = nodes.arrayNode();
                for (int i = random.nextInt(random.nextInt(8) == 0 ? 100 : 4); i > 0; i--) {
                    array.add(document(random, depth - 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = nodes.objectNode();
                for (int i = random.nextInt(random.nextInt(8) == 0 ? 100 : 5); i > 0; i--) {
                    object.set(text(random), document(random, depth - 1));
                }
                yield object;
            }
        };
    }

    private static String text(Random random) {
        int[] characters =
                "ab\"\\\n\u0001 ,{}[]:\u00e9\u6f22\ud83d\ude00".codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{ a , \"b c\" ,NULL, \"NULL\",\"\"} | {a,\"b c\",NULL,\"NULL\",\"\"}",
                "{\"a\\\"b\",\"c\\\\d\",e\\,f} | {\"a\\\"b\",\"c\\\\d\",\"e,f\"}",
                "{a b} | {\"a b\"}",
                "{} | {}",
                "[\"a\", null, \"NULL\", \"\\u00e9\"] | {a,NULL,\"NULL\",\u00e9}",
                "[] | {}"
            })
    void arraysOfTextsArePrintedAsPostgresDoes(String text, String expected) {
        assertThrough(expected, TEXTS, text);
    }

    @Test
    void elementsAreOfTheirType() {
        assertThrough("{true,false,NULL}", BOOLS, "{t,no,null}");
        assertThrough(
                "{2020-01-02,\"0044-03-15 BC\"}",
                ColumnType.arrayOf(ColumnType.of(TypeKind.DATE)),
                "{2020-01-02,0044-03-15 BC}");
        assertThrough(
                "{\"2020-01-02 03:04:05+00\"}",
                ColumnType.arrayOf(ColumnType.of(TypeKind.TIMESTAMPTZ)),
                "{\"2020-01-02T04:04:05+01\"}");
        assertThrough("{1.50,2.00}", ColumnType.arrayOf(Texts.decimal(5, 2)), "[1.499, 2]");
        assertThrough("{\"\\\\x61\"}", ColumnType.arrayOf(ColumnType.of(TypeKind.BYTES)), "{\"\\\\x61\"}");
        List<TypeKind> others = List.of(
                TypeKind.UUID, TypeKind.INET, TypeKind.INTERVAL, TypeKind.TIMETZ, TypeKind.TIME, TypeKind.FLOAT8);
        List<String> texts = List.of(
                "{00000000-0000-0001-0000-000000000002}",
                "{10.0.0.0/8}",
                "{\"1 day 02:00:00\"}",
                "{03:04:05+01}",
                "{24:00:00}",
                "{-0,NaN,1.5}");
        for (int i = 0; i < texts.size(); i++) {
            assertThrough(texts.get(i), ColumnType.arrayOf(ColumnType.of(others.get(i))), texts.get(i));
        }
        assertThrough("{a,b}", ColumnType.arrayOf(ColumnType.ofLabels(List.of("a", "b"))), "{a,b}");
    }

    @Test
    void manyNullsAreKept() {
        String text = IntStream.range(0, 1_000)
                .mapToObj(i -> i % 3 == 0 ? "NULL" : String.valueOf(i))
                .collect(Collectors.joining(",", "{", "}"));
        assertThrough(text, INTS, text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1,2",
                "{",
                "{1",
                "{1,}",
                "{,1}",
                "{1 2}x",
                "{{1},{2}}",
                "[[1]]",
                "{\"1}",
                "[1",
                "{\"1\"2}",
                "{1}}"
            })
    void noArrays(String text) {
        assertProblem(SYNTAX, INTS, text);
    }

    @Test
    void aBadElementIsNamed() {
        assertProblem(OUT_OF_RANGE, INTS, "{1,9223372036854775808}");
        assertProblem(TOO_LONG, ColumnType.arrayOf(Texts.limited(TypeKind.STRING, 2)), "{ab,abc}");
        DatumProblem problem = Texts.parse(INTS, "{1,x}".getBytes(StandardCharsets.UTF_8), new Row(3));
        assertNotNull(problem);
        assertTrue(problem.message().startsWith("element 2 ('x'): "), problem.message());
    }
}
