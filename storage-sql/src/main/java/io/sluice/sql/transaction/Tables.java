package io.sluice.sql.transaction;

import io.sluice.model.schema.Table;
import org.jspecify.annotations.Nullable;

/** The tables that transactions read and change: those of one store, or distributed over several nodes. */
public interface Tables extends AutoCloseable {
    /**
     * Takes the snapshot of a new transaction.
     *
     * @param readWriteSet read and write sets of the transaction
     * @param multiStatement whether the transaction will run more than one statement
     */
    Snapshot snapshot(ReadWriteSet readWriteSet, boolean multiStatement);

    /** Returns the readable table of that name, or null. */
    @Nullable
    Table table(String name);

    /** Returns the position up to which a change log was applied, or null. */
    byte @Nullable [] position(String log);

    boolean closed();

    @Override
    void close();
}
