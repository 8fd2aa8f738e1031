package io.sluice.cli.imports;

import io.sluice.importer.job.ImportSettings;
import io.sluice.model.error.BadInputException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The values of {@code --mode}: how KVs reach the node. */
enum ImportMode {
    AUTO,
    MERGE,
    DIRECT,
    TWO_PASS;

    /** Returns the mode of that name. */
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

    /** Returns the importer's mode; null for auto, which must be resolved first. */
    ImportSettings.@Nullable Mode forJob() {
        return switch (this) {
            case AUTO -> null;
            case MERGE -> ImportSettings.Mode.MERGE;
            case DIRECT -> ImportSettings.Mode.DIRECT;
            case TWO_PASS -> ImportSettings.Mode.TWO_PASS;
        };
    }
}
