package io.sluice.node.apply;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * How a change log is applied.
 *
 * @param workers threads; 1 does all in the caller's
 * @param batchLines most lines of one transaction
 * @param upsert whether a row that is there already is replaced by an insert, one that is missing is made by an update,
 *     and none needs to be there for a delete
 * @param fromStart whether the position of an earlier run is forgotten
 * @param name by which the store knows the log again
 */
public record ApplySettings(int workers, int batchLines, boolean upsert, boolean fromStart, String name) {
    private static final int MAX_WORKERS = 256;
    private static final int MAX_BATCH_LINES = 1 << 17;
    private static final int MAX_NAME = 1024;

    /**
     * Checks all settings.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public ApplySettings {
        List<String> wrong = new ArrayList<>();
        if (workers < 1 || workers > MAX_WORKERS) {
            wrong.add("workers: " + workers + ", must be 1 to " + MAX_WORKERS);
        }
        if (batchLines < 1 || batchLines > MAX_BATCH_LINES) {
            wrong.add("lines of a transaction: " + batchLines + ", must be 1 to " + MAX_BATCH_LINES);
        }
        if (name.isEmpty() || name.length() > MAX_NAME) {
            wrong.add("name of the log: must have 1 to " + MAX_NAME + " characters");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException(String.join("; ", wrong));
        }
    }
}
