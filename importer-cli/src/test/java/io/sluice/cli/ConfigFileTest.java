package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests sluice.yaml: which options it adds to a command line, and what it may not hold. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ConfigFileTest {
    @TempDir
    Path directory;

    private String applied(String yaml, Map<String, String> variables, String line) throws IOException {
        Path file = Files.writeString(directory.resolve("sluice.yaml"), yaml);
        Map<String, String> all = new HashMap<>(variables);
        all.put(ConfigFile.VARIABLE, file.toString());
        Console console = Console.ofProcess();
        CommandLine commands = Sluice.commands(new LocalNodes(console, FaultPoints.none()), console);
        return String.join(" ", Sluice.withDefaults(commands, all::get, line.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({
        "get t 1,                          get --store=/data/s t 1",
        "get t 1 --store x,                get t 1 --store x",
        "get t 1 --server http://x,        get t 1 --server http://x",
        "import --schema a.sql b.csv,      import --store=/data/s --workers=2 --append --nullif=NULL --nullif=- --schema a.sql b.csv",
        "import --workers 8 --nullif= f,   import --store=/data/s --append --workers 8 --nullif= f",
        "import -- --store,                import --store=/data/s --workers=2 --append --nullif=NULL --nullif=- -- --store",
        "build --schema a.sql f,           build --workers=4 --schema a.sql f",
        "config,                           config",
        "--version,                        --version",
    })
    void optionsOfTheFileStandForMissingOnes(String line, String expected) throws IOException {
        String yaml = """
                store: /data/s
                workers: 4
                import:
                  workers: 2
                  append: true
                  header: false
                  nullif: ["NULL", "-"]
                """;
        assertEquals(expected, applied(yaml, Map.of(), line));
        assertEquals(line, applied("", Map.of(), line));
    }

    @Test
    void variableOutweighsTheFile() throws IOException {
        assertEquals("get --nodes h:1 t 1", applied("store: /data/s", Map.of("SLUICE_NODES", "h:1"), "get t 1"));
    }

    @ParameterizedTest
    @CsvSource({
        "'import: {worker: 4}',        worker is no option of 'sluice import'",
        "'memory: 4g',                 give --memory on the command line",
        "'[a, b]',                     must have members",
        "'import: {workers: {a: 1}}',  must be a value or a list",
        "'store: [',                   is not valid YAML",
    })
    void otherMembersAreRefused(String yaml, String problem) {
        BadInputException refused =
                assertThrows(BadInputException.class, () -> applied(yaml.replace("\"", ""), Map.of(), "import f"));
        assertTrue(String.valueOf(refused.getMessage()).contains(problem.replace("\"", "")), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "'storr: /data',               storr is no option of any command",
        "'imprt: {append: true}',      there is no command imprt",
        "'workers: many',              Invalid value for option '--workers'",
        "'import: {append: perhaps}',  'perhaps' is not a boolean",
        "'format: parquet',            'sluice get': Invalid value for option '--format'",
        "'serve: {jobs: [1, 2]}',      should be specified only once",
    })
    void wholeFileIsCheckedByConfig(String yaml, String problem) throws IOException {
        Path file = Files.writeString(directory.resolve("sluice.yaml"), yaml);
        Console console = Console.ofProcess();
        CommandLine commands = Sluice.commands(new LocalNodes(console, FaultPoints.none()), console);
        Map<String, String> variables = Map.of(ConfigFile.VARIABLE, file.toString());
        ConfigFile found = ConfigFile.find(variables::get);
        BadInputException refused = assertThrows(BadInputException.class, () -> {
            if (found != null) {
                found.check(commands);
            }
        });
        assertTrue(String.valueOf(refused.getMessage()).contains(problem), refused.getMessage());
    }
}
