package io.sluice.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The scanner reads quotes and comments as {@link SqlScript} does, wherever the parts of a script end. */
class StatementScannerTest {
    private static final long SEED = 20_240_607;

    @Test
    void endsAreOutsideOfQuotesAndComments() {
        assertEquals(9, new StatementScanner().scan("a;b ';';\nc", 0));
        assertEquals(2, new StatementScanner().scan("a;/* ; */b", 0) - "/* ; */".length());
        assertEquals(1, new StatementScanner().scan(";-", 0));
        assertEquals(-1, new StatementScanner().scan("a /*/;*/ - \";\"", 0));
        StatementScanner scanner = new StatementScanner();
        assertEquals(-1, scanner.scan("a 'b'", 0));
        assertEquals(-1, scanner.scan("a 'b'';'-", 5));
        assertEquals(15, scanner.scan("a 'b'';'--;\n/; ", 9));
    }

    @Test
    void detectsIncompleteStatement() {
        for (String open : List.of("SELECT *\nFROM p", "SELECT 'a;", "BEGIN; /* a", "BEGIN; -", "a;/")) {
            assertTrue(new StatementScanner().scan(open, 0) < open.length(), open);
        }
        for (String ended : List.of("BEGIN;\n  -- done\n", "  \n", "a;", "/**/")) {
            assertEquals(ended.length(), new StatementScanner().scan(ended, 0), ended);
        }
    }

    @Test
    void commentsNest() {
        String script = "/* DELETE FROM a; /* old */ DELETE FROM b; */ SELECT 1 FROM c; /*/ /**/ x; */";
        assertEquals(List.of("SELECT 1 FROM c"), texts(script));
        assertEquals(script.length(), new StatementScanner().scan(script, 0));
        assertEquals(-1, new StatementScanner().scan("/* /* ; */ ", 0));
    }

    @Test
    void statementsOfPartsAreThoseOfTheWholeScript() {
        Random random = new Random(SEED);
        String[] words = {"a", ";", ";", "'", "''", "\"", "-", "--", "/", "*", "/*", "*/", "\n", " ", "(", ")"};
        int compared = 0;
        for (int round = 0; round < 20_000; round++) {
            StringBuilder script = new StringBuilder();
            for (int i = random.nextInt(20); i >= 0; i--) {
                script.append(words[random.nextInt(words.length)]);
            }
            List<String> whole;
            try {
                whole = texts(script.toString());
            } catch (StatementException e) {
                continue;
            }
            compared++;
            assertEquals(whole, inParts(script.toString(), random), "seed " + SEED + ": " + script);
        }
        assertTrue(compared > 5_000, "compared " + compared);
    }

    private static List<String> texts(String script) {
        return SqlScript.split(script).stream().map(StatementText::text).toList();
    }

    private static List<String> inParts(String script, Random random) {
        StatementScanner scanner = new StatementScanner();
        List<String> texts = new ArrayList<>();
        StringBuilder pending = new StringBuilder();
        int at = 0;
        while (at < script.length()) {
            int next = at + 1 + random.nextInt(script.length() - at);
            int scanned = pending.length();
            pending.append(script, at, next);
            int end = scanner.scan(pending, scanned);
            if (end > 0) {
                texts.addAll(texts(pending.substring(0, end)));
                pending.delete(0, end);
            }
            at = next;
        }
        texts.addAll(texts(pending.toString()));
        return texts;
    }
}
