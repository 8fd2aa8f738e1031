package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import java.nio.file.Path;

/**
 * An SST that was verified and belongs to the node now.
 *
 * @param sst as it was described on arrival, and found to be
 * @param path where it lies
 * @param bytesCopied what staging it wrote to disk; 0 when it was renamed
 */
record StagedSst(SstFile sst, Path path, long bytesCopied) {
    String fileName() {
        return String.valueOf(path.getFileName());
    }
}
