package io.sluice.engine.compact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests trees as pictures. The scripts are test resources, explained by {@link LsmScript}. */
class LsmScriptTest {
    @ParameterizedTest
    @ValueSource(strings = {"wide-file", "base-closure", "levels", "picker-tall", "picker-final"})
    void scriptAnswersAreAsWritten(String name) throws IOException {
        String expected = read(name + ".txt");
        String actual = LsmScript.replay(expected);
        if (!expected.equals(actual)) {
            fail(name + ".txt differs (- written, + now):\n"
                    + diff(expected.lines().toList(), actual.lines().toList()) + "\nas a whole, now:\n" + actual);
        }
        assertEquals(expected, actual);
    }

    private static String read(String name) throws IOException {
        try (InputStream in = LsmScriptTest.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Lines that differ, by the longest common subsequence. */
    private static String diff(List<String> written, List<String> now) {
        int[][] common = new int[written.size() + 1][now.size() + 1];
        for (int i = written.size() - 1; i >= 0; i--) {
            for (int j = now.size() - 1; j >= 0; j--) {
                common[i][j] = written.get(i).equals(now.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        StringBuilder text = new StringBuilder();
        int i = 0;
        int j = 0;
        while (i < written.size() || j < now.size()) {
            if (i < written.size() && j < now.size() && written.get(i).equals(now.get(j))) {
                i++;
                j++;
            } else if (j == now.size() || (i < written.size() && common[i + 1][j] >= common[i][j + 1])) {
                text.append("- ").append(written.get(i++)).append('\n');
            } else {
                text.append("+ ").append(now.get(j++)).append('\n');
            }
        }
        return text.toString();
    }
}
