package io.sluice.api.node;

import io.sluice.model.error.BadInputException;

/**
 * The settings of the LSM tree that holds a table.
 *
 * @param tombstoneConversion number of consecutive point tombstones after which a scan writes a range tombstone over
 *     them; 0: never
 */
public record TableTuning(int tombstoneConversion) {
    /** The default settings of a new table. */
    public static final TableTuning USUAL = new TableTuning(0);

    /**
     * Validates the settings.
     *
     * @throws BadInputException if a setting is out of range
     */
    public TableTuning {
        if (tombstoneConversion < 0) {
            throw new BadInputException("tombstone conversion: " + tombstoneConversion
                    + ", must be 0 for none, or the least number of deleted keys in a row");
        }
    }
}
