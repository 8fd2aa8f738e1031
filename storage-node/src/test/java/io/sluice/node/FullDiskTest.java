package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a full disk: an in-memory file system that the test mounts where Linux allows user mount namespaces. Elsewhere
 * it is skipped, and only {@link TroubleTest} covers the gate's limits.
 */
class FullDiskTest {
    private static final long SEED = 20_261_121;
    private static final String DISK = "mount -t tmpfs -o size=64m none \"$0\" && exec \"$@\"";

    private static Process onSmallDisk(Path disk, List<String> command) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("unshare", "--map-root-user", "--mount", "sh", "-c", DISK, disk.toString()));
        all.addAll(command);
        return new ProcessBuilder(all).redirectErrorStream(true).start();
    }

    private static boolean possible(Path disk) throws InterruptedException {
        try {
            return onSmallDisk(disk, List.of("true")).waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void nodeServesReadsAndContinuesAfterSpaceIsFreed(@TempDir Path disk, @TempDir Path elsewhere) throws Exception {
        assumeTrue(possible(disk), "this machine lacks unshare(1) or user namespaces");
        Process node = onSmallDisk(
                disk,
                OtherProcess.command(FillingNode.class, disk.toString(), elsewhere.toString(), Long.toString(SEED)));
        String out = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, node.waitFor(), "seed " + SEED + "\n" + out);
    }
}
