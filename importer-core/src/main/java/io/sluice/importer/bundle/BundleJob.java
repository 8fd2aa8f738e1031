package io.sluice.importer.bundle;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
import java.util.List;
import java.util.UUID;

/**
 * The resumable import of a bundle, which later attempts continue.
 *
 * @param id id of the import
 * @param inputs inputs of the import
 * @param done spans that earlier attempts have read, and that are not read again
 * @param rejects number of rejects in those spans
 */
public record BundleJob(UUID id, List<InputFile> inputs, ReadSpans done, long rejects) {
    /** Whether a record is in a span that is not read again. */
    boolean isDone(String inputName, long byteOffset) {
        return inputs.stream()
                .anyMatch(input -> input.name().equals(inputName) && done.contains(input.ordinal(), byteOffset));
    }
}
