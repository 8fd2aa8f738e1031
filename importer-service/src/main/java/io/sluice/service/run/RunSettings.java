package io.sluice.service.run;

import io.sluice.importer.job.ImportSettings;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * The resources of jobs. Every running job has one thread per core and an equal part of the memory. So the operating
 * system shares the cores evenly among jobs, and a single job uses all of them.
 *
 * @param slots maximum number of running jobs
 * @param memoryBytes memory for the buffers of all jobs together
 * @param workers threads per job for decoding, sorting and merging
 * @param version version of Sluice, for bundles of rejects
 */
public record RunSettings(int slots, long memoryBytes, int workers, String version) {
    /**
     * Validates the settings.
     *
     * @throws BadInputException if settings are invalid; the message names all of them
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

    /** Memory for the buffers of one job. */
    long memoryBytesPerJob() {
        return memoryBytes / slots;
    }
}
