package io.sluice.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A test as a text that states what commands answer. Lines that begin with {@code >} are commands, the indented lines
 * after a command its answer; the rest is text for the reader. The tests of CockroachDB and Pebble work in this way
 * ("datadriven").
 */
public final class Script {
    private static final String INDENT = "    ";

    private Script() {}

    /** The subject of a script, which carries out its commands. */
    @FunctionalInterface
    public interface Subject {
        /**
         * Carries out a command.
         *
         * @param command its first word
         * @param args its other words
         * @return the answer, of any number of lines
         */
        String answer(String command, List<String> args) throws Exception;
    }

    /**
     * Runs a script, and compares the answers with those that are written in it.
     *
     * @param test the class whose package has the script as a resource
     * @param name the resource
     * @throws AssertionError when an answer differs; the message shows where, and the whole script with actual answers
     */
    public static void check(Class<?> test, String name, Subject subject) throws Exception {
        String written = read(test, name);
        String actual = replay(written, subject);
        if (!written.equals(actual)) {
            throw new AssertionError(name + " differs (- written, + actual):\n"
                    + differences(written.lines().toList(), actual.lines().toList()) + "\nall of it:\n" + actual);
        }
    }

    private static String read(Class<?> test, String name) throws IOException {
        try (InputStream in = test.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String replay(String script, Subject subject) throws Exception {
        StringBuilder text = new StringBuilder();
        boolean answering = false;
        for (String line : script.lines().toList()) {
            if (line.startsWith(">")) {
                text.append(line).append('\n');
                List<String> words = Arrays.asList(line.substring(1).strip().split(" +", -1));
                subject.answer(words.get(0), words.subList(1, words.size()))
                        .lines()
                        .forEach(answer -> text.append(INDENT).append(answer).append('\n'));
                answering = true;
            } else if (!answering || !line.startsWith(INDENT)) {
                text.append(line).append('\n');
                answering = false;
            }
        }
        return text.toString();
    }

    /** Lines that differ, by the longest common subsequence. */
    private static String differences(List<String> written, List<String> actual) {
        int[][] common = new int[written.size() + 1][actual.size() + 1];
        for (int i = written.size() - 1; i >= 0; i--) {
            for (int j = actual.size() - 1; j >= 0; j--) {
                common[i][j] = written.get(i).equals(actual.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        StringBuilder text = new StringBuilder();
        int i = 0;
        int j = 0;
        while (i < written.size() || j < actual.size()) {
            if (i < written.size() && j < actual.size() && written.get(i).equals(actual.get(j))) {
                i++;
                j++;
            } else if (j == actual.size() || (i < written.size() && common[i + 1][j] >= common[i][j + 1])) {
                text.append("- ").append(written.get(i++)).append('\n');
            } else {
                text.append("+ ").append(actual.get(j++)).append('\n');
            }
        }
        return text.toString();
    }
}
