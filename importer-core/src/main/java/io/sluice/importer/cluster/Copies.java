package io.sluice.importer.cluster;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.SstFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node keeps the file it takes; for replicas the same file gets other names. */
final class Copies {
    private Copies() {}

    /** The SST under a name of its own for one node; a hard link, or a copy where there are none. */
    static SstFile forReplica(SstFile sst, String node) {
        // By the file and not by the SST's id: the same SST may be on its way twice, and each delivery takes its own
        // away.
        Path link = sst.path().resolveSibling(sst.path().getFileName() + "-" + node + ".sst");
        try {
            Files.deleteIfExists(link);
            link(link, sst.path());
        } catch (IOException e) {
            throw new OperationFailedException(
                    "an SST could not be copied for a replica: " + e.getMessage()
                            + "; name another directory with --tmp",
                    e);
        }
        return sst.at(link);
    }

    private static void link(Path link, Path file) throws IOException {
        try {
            Files.createLink(link, file);
        } catch (UnsupportedOperationException e) {
            Files.copy(file, link);
        }
    }

    /** Removes what a node did not take. */
    static void drop(SstFile copy) {
        try {
            Files.deleteIfExists(copy.path());
        } catch (IOException e) {
            throw new OperationFailedException(copy.path() + " could not be removed: " + e.getMessage(), e);
        }
    }
}
