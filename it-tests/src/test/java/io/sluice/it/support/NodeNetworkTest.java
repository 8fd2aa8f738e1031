package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the networks and disks of a killed test are removed, and those of a living one stay. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class NodeNetworkTest {
    @TempDir
    Path directory;

    /** The id of a process that has ended, with another subnet than this process. */
    private static long deadProcess() throws IOException, InterruptedException {
        while (true) {
            Process process = new ProcessBuilder("true").start();
            process.waitFor();
            if ((process.pid() - ProcessHandle.current().pid()) % (1 << 9) != 0) {
                return process.pid();
            }
        }
    }

    private static boolean exists(NodeNetwork network) throws IOException {
        return NodeNetwork.output("ip", "netns", "list").stream()
                .anyMatch(line -> line.startsWith(network.namespace(0)));
    }

    private static long links(long process) throws IOException {
        return NodeNetwork.output("ip", "-o", "link", "show").stream()
                .filter(line -> line.matches("\\d+: sl" + process + "[p@:].*"))
                .count();
    }

    private boolean isMounted(Path mount) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .anyMatch(line -> line.contains(" " + mount + " "));
    }

    @Test
    void removesWhatAKilledProcessHasLeftAndNothingOfALivingOne() throws Exception {
        assumeTrue(
                NodeNetwork.available() && SmallDisk.available(directory),
                "this machine lacks network namespaces or loop devices, or the right to make them");
        long dead = deadProcess();
        long self = ProcessHandle.current().pid();
        Path deadMount = directory.resolve("dead");
        Path ownMount = directory.resolve("own");
        try (NodeNetwork own = new NodeNetwork(1);
                SmallDisk ownDisk = new SmallDisk(ownMount)) {
            NodeNetwork left = new NodeNetwork(2, dead);
            SmallDisk unused = new SmallDisk(deadMount, dead);
            List<String> sleep = new ArrayList<>(left.on(1));
            sleep.addAll(List.of("sleep", "1000"));
            Process node = new ProcessBuilder(sleep).start();
            assertTrue(exists(left) && isMounted(deadMount));
            assertEquals(3, links(dead));

            List<String> removed = Stream.concat(
                            NodeNetwork.removeAbandoned().stream(), SmallDisk.removeAbandoned().stream())
                    .toList();

            assertTrue(
                    removed.containsAll(
                            List.of(left.namespace(0), left.namespace(1), "sl" + dead, deadMount.toString())),
                    removed.toString());
            assertTrue(node.waitFor(20, TimeUnit.SECONDS), "the node still runs");
            assertTrue(!exists(left) && !isMounted(deadMount));
            assertEquals(0, links(dead));
            assertTrue(exists(own) && isMounted(ownMount), removed.toString());
            assertEquals(2, links(self));
            ownDisk.free();
        }
    }
}
