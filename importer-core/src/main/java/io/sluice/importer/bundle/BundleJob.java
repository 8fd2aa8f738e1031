package io.sluice.importer.bundle;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The resumable import of a bundle, which later attempts continue.
 *
 * @param id id of the import
 * @param inputs inputs of the import
 * @param done spans that earlier attempts have read, and that are not read again
 * @param rejects number of rejects in those spans
 */
public record BundleJob(UUID id, List<InputFile> inputs, ReadSpans done, long rejects) {
    /**
     * Whether a record is in a span that is not read again.
     *
     * @param input ordinal of its input; negative: its name tells it
     */
    boolean isDone(String inputName, int input, long byteOffset) {
        return input >= 0
                ? done.contains(input, byteOffset)
                : inputs.stream()
                        .anyMatch(each -> each.name().equals(inputName) && done.contains(each.ordinal(), byteOffset));
    }

    /** Names that several inputs have: a file that is named twice, or addresses that differ in their queries. */
    Set<String> sharedNames() {
        Set<String> names = new HashSet<>();
        return inputs.stream()
                .map(InputFile::name)
                .filter(name -> !names.add(name))
                .collect(Collectors.toSet());
    }
}
