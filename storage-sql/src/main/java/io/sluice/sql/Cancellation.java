package io.sluice.sql;

import io.sluice.sql.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/** Ends the statements of one request. Thread-safe. */
public final class Cancellation {
    private @Nullable Transaction running;
    private boolean cancelled;

    /** Lets the running statement, and those that follow in the request, fail at the next row that they read. */
    public synchronized void cancel() {
        cancelled = true;
        if (running != null) {
            running.cancel();
        }
    }

    /** Sets the transaction of the statement that runs; null: none does. */
    synchronized void running(@Nullable Transaction transaction) {
        running = transaction;
        if (cancelled && transaction != null) {
            transaction.cancel();
        }
    }
}
