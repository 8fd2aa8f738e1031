package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.job.ImportSettings;
import java.util.Locale;

/** How KVs reach the node. */
enum ImportMode {
    AUTO,
    MERGE,
    DIRECT,
    TWO_PASS;

    /** The mode of that name. */
    static ImportMode of(String name) {
        for (ImportMode mode : values()) {
            if (mode.optionName().equals(name.toLowerCase(Locale.ROOT))) {
                return mode;
            }
        }
        throw new BadInputException("--mode " + name + ": must be auto, merge, direct, or two-pass");
    }

    String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether this version can do it. */
    boolean available() {
        return this != TWO_PASS;
    }

    /** The mode as the importer knows it; auto is the one that is fastest on a store in this process. */
    ImportSettings.Mode forJob() {
        return this == DIRECT ? ImportSettings.Mode.DIRECT : ImportSettings.Mode.MERGE;
    }
}
