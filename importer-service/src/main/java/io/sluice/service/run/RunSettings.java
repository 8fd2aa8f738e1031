package io.sluice.service.run;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.job.ImportSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * How jobs share the machine. Every running job has as many threads as there are cores and the same part of the memory,
 * so the cores divide themselves among jobs evenly, and one job alone has all of them.
 *
 * @param slots how many jobs run at a time
 * @param memoryBytes buffers of all of them together
 * @param workers threads of each that decode, sort and merge
 * @param version of Sluice, for bundles of rejects
 */
public record RunSettings(int slots, long memoryBytes, int workers, String version) {
    /**
     * Checks them together.
     *
     * @throws BadInputException naming all that is wrong
     */
    public RunSettings {
        List<String> problems = new ArrayList<>();
        if (slots < 1) {
            problems.add("--jobs " + slots + ": at least one job must be able to run");
        }
        if (workers < 1) {
            problems.add("--workers " + workers + ": must be at least 1");
        }
        if (slots > 0 && memoryBytes / slots < ImportSettings.MIN_MEMORY_BYTES) {
            problems.add("--memory " + (memoryBytes >> 20) + "m is too little for " + slots
                    + " jobs at a time, of which each needs " + (ImportSettings.MIN_MEMORY_BYTES >> 20) + "m");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    /** The buffers of one job. */
    long memoryBytesPerJob() {
        return memoryBytes / slots;
    }
}
