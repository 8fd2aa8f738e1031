package io.sluice.importer.decode.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.decode.Decoding;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random documents, some of them damaged, against Jackson's tree: both take or refuse the same lines, and read the same
 * values. {@code -Dsluice.json.files=10000} for more, {@code -Dsluice.seed=N} to repeat.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JsonDifferentialTest {
    private static final TableDef TABLE = Decoding.table("s STRING, d DECIMAL, b BOOL, x STRING");

    private static final JsonMapper JACKSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    @TempDir
    Path directory;

    @Test
    void rowsAreWhatJacksonReads() throws IOException {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("-Dsluice.seed=" + seed);
        Random random = new Random(seed);
        int files = Integer.getInteger("sluice.json.files", 150);
        for (int i = 0; i < files; i++) {
            List<String> lines = new ArrayList<>();
            for (int line = 0; line < 20; line++) {
                lines.add(damaged(object(random), random));
            }
            check(lines, random, "-Dsluice.seed=" + seed + ", file " + i);
        }
    }

    private void check(List<String> lines, Random random, String seed) throws IOException {
        Path file = directory.resolve("in.json");
        Files.write(file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        JsonRun run = JsonRun.of(file, false, JsonMembers.BY_NAME, TABLE, 1 + random.nextInt(3_000));
        List<String> rows = new ArrayList<>();
        List<String> goodLines = new ArrayList<>();
        int rejects = 0;
        for (String line : lines) {
            String row = expected(line);
            if (row == null) {
                rejects++;
            } else {
                rows.add(row);
                goodLines.add(line);
            }
        }
        for (int i = 0; i < Math.min(rows.size(), run.rows().size()); i++) {
            assertEquals(rows.get(i), run.rows().get(i), seed + ", " + String.join("\n", lines));
        }
        assertEquals(rows, run.rows(), seed);
        assertEquals(rejects, run.rejects().size(), seed);
        if (!goodLines.isEmpty()) {
            // The good lines as one array, spread over more lines.
            Files.writeString(file, "[" + String.join(random.nextBoolean() ? "," : " \n,\n", goodLines) + "]\n");
            JsonRun array = JsonRun.of(file, true, JsonMembers.BY_NAME, TABLE, 1 + random.nextInt(3_000));
            assertEquals(rows, array.rows(), seed);
        }
    }

    /** The row by Jackson; null for a reject. */
    private static @Nullable String expected(String line) {
        // From bytes: from a String, Jackson takes other characters for the hex digits of an escape.
        try (JsonParser parser = JACKSON.createParser(line.getBytes(StandardCharsets.UTF_8))) {
            JsonNode tree = JACKSON.readTree(parser);
            if (!tree.isObject()) {
                return null;
            }
            if (!tree.isEmpty() && !tree.has("s") && !tree.has("d") && !tree.has("b") && !tree.has("x")) {
                return null;
            }
            JsonNode s = tree.path("s");
            JsonNode d = tree.path("d");
            JsonNode b = tree.path("b");
            JsonNode x = tree.path("x");
            if (s.isTextual() && !DatumParser.isWhole(s.textValue())) {
                return null;
            }
            return String.join(
                    " | ",
                    s.isTextual() ? s.textValue() : "NULL",
                    d.isNumber() ? number(d.decimalValue()) : "NULL",
                    b.isBoolean() ? b.asText() : "NULL",
                    x.isContainerNode() ? x.toString() : "NULL");
        } catch (IOException e) {
            return null;
        }
    }

    private static String number(BigDecimal value) {
        return value.toPlainString();
    }

    private static String object(Random random) {
        List<String> members = new ArrayList<>();
        if (random.nextInt(4) > 0) {
            members.add("\"s\":" + (random.nextInt(9) == 0 ? "null" : string(random)));
        }
        if (random.nextInt(4) > 0) {
            members.add("\"d\":" + decimal(random));
        }
        if (random.nextInt(4) > 0) {
            members.add("\"\\u0062\" : " + random.nextBoolean());
        }
        if (random.nextInt(4) > 0) {
            members.add("\"x\":" + nested(random, 3));
        }
        if (random.nextInt(3) == 0) {
            members.add("\"other" + random.nextInt(5) + "\":" + value(random, 2));
        }
        Collections.shuffle(members, random);
        String space = random.nextInt(3) == 0 ? " " : "";
        return space + "{" + String.join(space + "," + space, members) + "}" + space;
    }

    /** Without white space, so that Jackson's compact output is the source text. */
    private static String nested(Random random, int depth) {
        List<String> parts = new ArrayList<>();
        boolean object = random.nextBoolean();
        for (int i = random.nextInt(4); i > 0; i--) {
            parts.add((object ? "\"k" + i + "\":" : "") + (depth == 0 ? plain(random) : value(random, depth - 1)));
        }
        return (object ? "{" : "[") + String.join(",", parts) + (object ? "}" : "]");
    }

    private static String value(Random random, int depth) {
        return random.nextInt(3) == 0 && depth > 0 ? nested(random, depth) : plain(random);
    }

    private static String plain(Random random) {
        String[] words = {"true", "false", "null", "0", "-12", "\"\"", "\"é😀 x\"", "\"a\\\"b\\\\\"", "4711"};
        return words[random.nextInt(words.length)];
    }

    private static String decimal(Random random) {
        StringBuilder out = new StringBuilder(random.nextBoolean() ? "-" : "");
        out.append(1 + random.nextInt(9));
        for (int i = random.nextInt(30); i > 0; i--) {
            out.append(random.nextInt(10));
        }
        if (random.nextBoolean()) {
            out.append('.').append(random.nextInt(10)).append(random.nextInt(1000));
        }
        return out.toString();
    }

    private static String string(Random random) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = random.nextInt(30); i > 0; i--) {
            switch (random.nextInt(12)) {
                case 0 -> out.append("\\").append("\"\\/bfnrt".charAt(random.nextInt(8)));
                case 1 -> out.append(String.format("\\u%04x", random.nextInt(0x10000)));
                case 2 -> out.append("\\ud83d\\ude0").append(random.nextInt(10));
                case 3 -> out.appendCodePoint(0x80 + random.nextInt(0xd000));
                case 4 -> out.appendCodePoint(0x10000 + random.nextInt(0x1000));
                default -> out.append((char) ('a' + random.nextInt(26)));
            }
        }
        return out.append('"').toString();
    }

    /** Now and then with one character deleted, doubled or replaced; never with a line end. */
    private static String damaged(String text, Random random) {
        if (random.nextInt(3) > 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text);
        int at = random.nextInt(text.length());
        if (Character.isSurrogate(out.charAt(at))) {
            return text;
        }
        switch (random.nextInt(3)) {
            case 0 -> out.deleteCharAt(at);
            case 1 -> out.insert(at, out.charAt(at));
            default -> out.setCharAt(at, "{}[]\",:\\0-.u\u0001".charAt(random.nextInt(13)));
        }
        return out.toString();
    }
}
