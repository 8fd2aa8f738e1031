package io.sluice.api.node;

import io.sluice.api.error.BadInputException;

/**
 * How the tree of a table is to behave.
 *
 * @param tombstoneConversion how many deleted keys in a row a scan must meet to put a range tombstone over them; 0: it
 *     never does
 */
public record TableTuning(int tombstoneConversion) {
    /** As every table begins. */
    public static final TableTuning USUAL = new TableTuning(0);

    /**
     * Checks the figures.
     *
     * @throws BadInputException when one is out of range
     */
    public TableTuning {
        if (tombstoneConversion < 0) {
            throw new BadInputException("tombstone conversion: " + tombstoneConversion
                    + ", must be 0 for none, or the least number of deleted keys in a row");
        }
    }
}
