package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests environment variables: an option outweighs them, and two that are set are refused. */
class PlaceVariablesTest {
    private static final Map<String, String> STORE = Map.of("SLUICE_STORE", "s");
    private static final Map<String, String> TWO = Map.of("SLUICE_STORE", "s", "SLUICE_SERVER", "http://h");

    private static String applied(Map<String, String> variables, String line) {
        Console console = Console.ofProcess();
        CommandLine commands = Sluice.commands(new LocalNodes(console, FaultPoints.none()), console);
        return String.join(" ", PlaceVariables.apply(commands, variables::get, line.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({
        "get t 1,                     get --store s t 1",
        "get t 1 --store x,           get t 1 --store x",
        "get t 1 --nodes=a:1,         get t 1 --nodes=a:1",
        "get t 1 --server http://x,   get t 1 --server http://x",
        "get t -- -1,                 get --store s t -- -1",
        "import --schema a.sql b.csv, import --store s --schema a.sql b.csv",
        "transactions,                transactions --store s",
        "workload tpcc --rows 1,      workload tpcc --rows 1",
        "--version,                   --version",
    })
    void aVariableStandsForAMissingOption(String line, String expected) {
        assertEquals(expected, applied(STORE, line));
        assertEquals(line, applied(Map.of(), line));
        assertEquals(line, applied(Map.of("SLUICE_STORE", ""), line));
    }

    @Test
    void twoVariablesAreRefusedWhereBothCouldBeMeant() {
        BadInputException refused = assertThrows(BadInputException.class, () -> applied(TWO, "get t 1"));
        assertTrue(String.valueOf(refused.getMessage()).contains("SLUICE_STORE and SLUICE_SERVER are set"));
        assertEquals("get t 1 --store x", applied(TWO, "get t 1 --store x"));
        // A node has a store only, and jobs read the other variable by themselves.
        assertEquals("node --store s", applied(TWO, "node"));
        assertEquals("jobs list", applied(TWO, "jobs list"));
    }
}
