package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.client.RemoteNode;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bits flip between an importer process and a node process: no table is published, and the error names the index. The
 * import fails in mode merge, and pauses in the modes that can resume.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DamagedOnItsWayIT {
    private static final int ROWS = 20_000;
    private static final long SEED = 61;
    /** In the note of every row: in bodies, and in no header. */
    private static final String TEXT = "a, comma in it ";

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"merge, 1, keys from ", "direct, 4, keys from ", "two-pass, 4, KVs of "})
    void theImportEndsAndNamesTheIndex(String mode, int exitCode, String words) throws Exception {
        Path schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        Path rows = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        try (NodeProcess node = NodeProcess.start(directory.resolve("node"));
                TcpProxy proxy = TcpProxy.damaging(node.address(), TEXT)) {
            Result result = SluiceProcess.call(
                    "import",
                    "--schema",
                    schema.toString(),
                    "--nodes",
                    proxy.address(),
                    "--mode",
                    mode,
                    rows.toString());
            assertEquals(exitCode, result.exitCode(), result::toString);
            assertTrue(result.err().contains("CRC-32C"), result::toString);
            assertTrue(result.err().contains("table stock, index primary"), result::toString);
            assertTrue(result.err().contains(words), result::toString);
            try (RemoteNode client = node.client()) {
                assertNull(client.table("stock"));
            }
        }
    }
}
