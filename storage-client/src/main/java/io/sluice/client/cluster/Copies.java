package io.sluice.client.cluster;

import io.sluice.api.node.SstFile;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Links SSTs under other names for replicas, since a node takes away the file that it gets. */
final class Copies {
    private Copies() {}

    /** Links the SST under another name for one node; copies it where hard links are not supported. */
    static SstFile forReplica(SstFile sst, String node) {
        // Named after the file, not the SST's id: the same SST may be under way twice, and each delivery removes its
        // own
        // file.
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
        } catch (UnsupportedOperationException | FileSystemException e) {
            // FAT has no hard links, and ext4 65,000 of a file at most.
            Files.copy(file, link);
        }
    }

    /** Removes a link that a node did not take. */
    static void drop(SstFile copy) {
        try {
            Files.deleteIfExists(copy.path());
        } catch (IOException e) {
            throw new OperationFailedException(copy.path() + " could not be removed: " + e.getMessage(), e);
        }
    }
}
