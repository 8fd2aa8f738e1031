package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import java.nio.file.Path;

/**
 * A verified SST in the node's staging directory.
 *
 * @param sst its verified description
 * @param path path of its file
 * @param bytesCopied bytes that staging wrote to disk; 0 when the file was renamed
 */
record StagedSst(SstFile sst, Path path, long bytesCopied) {
    String fileName() {
        return String.valueOf(path.getFileName());
    }
}
