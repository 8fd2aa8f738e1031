package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion scripts: that for bash in a bash, that for fish line by line. */
class CompletionCommandTest {
    private static String script(String shell) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(out, new PrintStream(out, true, StandardCharsets.UTF_8), false);
        assertEquals(0, Sluice.run(console, FaultPoints.none(), "completion", shell));
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"sluice impo, import", "sluice jobs li, list", "sluice get --sto, --store"})
    void bashCompletes(String typed, String expected, @TempDir Path directory) throws Exception {
        assumeTrue(File.separatorChar == '/', "this machine lacks bash");
        Path script = Files.writeString(directory.resolve("completion"), script("bash"));
        Path test = Files.writeString(
                directory.resolve("test"),
                // Only within a completion is there a compopt.
                "compopt() { :; }\n. '" + script + "'\nCOMP_WORDS=(" + typed
                        + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                        + "_complete_sluice\necho \"${COMPREPLY[@]}\"\n");
        Process bash = new ProcessBuilder("bash", test.toString())
                .redirectErrorStream(true)
                .start();
        String completed = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, bash.waitFor(), completed);
        assertEquals(expected, completed);
    }

    @Test
    void fishHasEachCommandAndOption() {
        String script = script("fish");
        assertTrue(
                script.contains("complete -c sluice -n '__fish_use_subcommand' -f -a get -d 'Print the row"), script);
        assertTrue(
                script.contains("complete -c sluice -n '__fish_seen_subcommand_from get' -l store -r -d 'Directory"),
                script);
        assertTrue(script.contains("-n '__fish_seen_subcommand_from jobs' -f -a list"), script);
        script.lines().forEach(line -> assertTrue(line.matches("complete -c sluice -n '[^']+' .* -d '.*'"), line));
    }

    @Test
    void anotherShellIsBadInput() {
        Console console = new Console(
                new ByteArrayOutputStream(),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                false);
        assertEquals(2, Sluice.run(console, FaultPoints.none(), "completion", "tcsh"));
    }
}
