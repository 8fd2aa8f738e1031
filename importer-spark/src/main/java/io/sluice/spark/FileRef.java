package io.sluice.spark;

import io.sluice.importer.source.InputFile;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * One input file, for tasks, which find it again.
 *
 * @param ordinal position among the inputs, from 0
 * @param name name in messages
 * @param address absolute path, or {@code s3://BUCKET/KEY}
 * @param sizeBytes stored length
 * @param version version of its bytes
 */
record FileRef(int ordinal, String name, String address, long sizeBytes, String version) implements Serializable {
    private static final long serialVersionUID = 1L;

    static FileRef of(InputFile file) {
        Path path = file.path();
        return new FileRef(
                file.ordinal(),
                file.name(),
                path == null ? file.name() : path.toAbsolutePath().toString(),
                file.sizeBytes(),
                file.version());
    }
}
