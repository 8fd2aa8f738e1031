package io.sluice.sql.apply;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings for applying a change log.
 *
 * @param workers number of threads; 1 uses only the caller's thread
 * @param batchLines limit of lines in one transaction
 * @param upsert whether an insert replaces an existing row, an update inserts a missing row, and a delete ignores a
 *     missing row
 * @param fromStart whether to ignore the position of an earlier run
 * @param name key under which the store keeps the position of the log
 */
public record ApplySettings(int workers, int batchLines, boolean upsert, boolean fromStart, String name) {
    private static final int MAX_WORKERS = 256;
    private static final int MAX_BATCH_LINES = 1 << 17;
    private static final int MAX_NAME = 1024;

    /**
     * Validates all settings.
     *
     * @throws BadInputException if any is out of range; the message lists all of them
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
