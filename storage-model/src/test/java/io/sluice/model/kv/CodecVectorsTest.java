package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every vector of {@code vectors/public.jsonl}, byte for byte. */
final class CodecVectorsTest {
    private static final HexFormat HEX = HexFormat.of();

    private static final int ROOM = 4096;

    @TestFactory
    Stream<DynamicTest> encodesEveryVector() throws IOException {
        Map<String, Table> tables = VectorTables.all();
        return vectors().stream()
                .map(vector -> DynamicTest.dynamicTest(
                        vector.get("id").asText() + " " + vector.get("kind").asText(), () -> check(vector, tables)));
    }

    @Test
    void readsAllVectors() throws IOException {
        assertEquals(74, vectors().size());
    }

    private static List<JsonNode> vectors() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<JsonNode> vectors = new ArrayList<>();
        String lines = new String(VectorTables.resource("public.jsonl"), StandardCharsets.US_ASCII);
        for (String line : lines.lines().toList()) {
            vectors.add(mapper.readTree(line));
        }
        return vectors;
    }

    private static void check(JsonNode vector, Map<String, Table> tables) {
        switch (vector.get("kind").asText()) {
            case "key" -> assertEquals(hex(vector), key(vector));
            case "value" -> assertEquals(hex(vector), value(vector));
            case "composite" ->
                assertEquals(vector.get("composite").asBoolean(), shape(vector).isComposite(datum(vector), 0));
            case "uvarint" -> assertEquals(hex(vector), uvarint(vector));
            case "index_prefix" -> {
                byte[] buffer = new byte[ROOM];
                int end = KeyEncoding.putIndexPrefix(
                        vector.get("table_id").asInt(), vector.get("index_id").asInt(), buffer, 0);
                assertEquals(hex(vector), HEX.formatHex(buffer, 0, end));
            }
            case "family_suffix" -> {
                byte[] buffer = new byte[ROOM];
                int end = KeyEncoding.putFamilySuffix(vector.get("value").asInt(), buffer, 0);
                assertEquals(hex(vector), HEX.formatHex(buffer, 0, end));
            }
            case "prefix_end" ->
                assertEquals(
                        hex(vector),
                        HEX.formatHex(
                                KeySpan.prefixEnd(HEX.parseHex(vector.get("in").asText()))));
            case "checksum" -> assertEquals(hex(vector), checksum(vector));
            case "row" ->
                checkRow(
                        vector,
                        Objects.requireNonNull(tables.get(vector.get("table").asText())));
            default -> throw new IllegalArgumentException("unknown kind in " + vector);
        }
    }

    private static String hex(JsonNode vector) {
        return vector.get("hex").asText();
    }

    private static @Nullable String text(JsonNode node) {
        return node.isNull() ? null : node.asText();
    }

    private static Shape shape(JsonNode vector) {
        return Shape.of(DatumText.kind(vector.get("type").asText()));
    }

    private static Row datum(JsonNode vector) {
        Row row = new Row(1);
        DatumText.set(DatumText.kind(vector.get("type").asText()), text(vector.get("value")), row, 0);
        return row;
    }

    private static String key(JsonNode vector) {
        byte[] buffer = new byte[ROOM];
        boolean descending = vector.get("dir").asText().equals("desc");
        int end = KeyEncoding.putDatum(shape(vector), descending, datum(vector), 0, buffer, 0);
        return HEX.formatHex(buffer, 0, end);
    }

    private static String value(JsonNode vector) {
        byte[] buffer = new byte[ROOM];
        int delta = vector.get("col_delta").asInt();
        int end = ValueEncoding.putDatum(shape(vector), delta, datum(vector), 0, buffer, 0);
        return HEX.formatHex(buffer, 0, end);
    }

    private static String uvarint(JsonNode vector) {
        byte[] buffer = new byte[ROOM];
        long value = Long.parseUnsignedLong(vector.get("value").asText());
        int end = vector.get("dir").asText().equals("desc")
                ? KeyEncoding.putUvarintDescending(value, buffer, 0)
                : KeyEncoding.putUvarint(value, buffer, 0);
        return HEX.formatHex(buffer, 0, end);
    }

    private static String checksum(JsonNode vector) {
        byte[] key = HEX.parseHex(vector.get("key").asText());
        byte[] body = HEX.parseHex(vector.get("body").asText());
        byte[] buffer = Arrays.copyOf(key, key.length + Integer.BYTES + body.length);
        System.arraycopy(body, 0, buffer, key.length + Integer.BYTES, body.length);
        KvCrc.put(new CRC32(), buffer, 0, key.length, buffer.length);
        return HEX.formatHex(buffer, key.length, key.length + Integer.BYTES);
    }

    private static void checkRow(JsonNode vector, Table table) {
        List<Column> columns = table.def().columns();
        Row row = new Row(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            TypeKind kind = columns.get(i).type().kind();
            DatumText.set(kind, text(vector.get("row").get(columns.get(i).name())), row, i);
        }
        Set<String> expected = new TreeSet<>();
        for (JsonNode kv : vector.get("kvs")) {
            expected.add(kv.get("key").asText() + " " + kv.get("value").asText());
        }
        Set<String> actual = new TreeSet<>();
        for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
            for (EncodedKv kv : EncodedKv.all(encoder, row)) {
                assertTrue(KvCrc.matches(kv.key(), kv.value()));
                actual.add(kv.hex());
            }
        }
        assertEquals(expected, actual);
    }
}
