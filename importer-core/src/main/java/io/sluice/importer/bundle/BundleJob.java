package io.sluice.importer.bundle;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
import java.util.List;
import java.util.UUID;

/**
 * The import that a bundle belongs to, when that can be resumed: the bundle then goes on, too.
 *
 * @param id names the import
 * @param inputs what it reads
 * @param done what of it earlier attempts have read, and will not be read again
 * @param rejects how many rejects they had in it
 */
public record BundleJob(UUID id, List<InputFile> inputs, ReadSpans done, long rejects) {
    /** Whether a record was read for good. */
    boolean isDone(String inputName, long byteOffset) {
        return inputs.stream()
                .anyMatch(input -> input.name().equals(inputName) && done.contains(input.ordinal(), byteOffset));
    }
}
