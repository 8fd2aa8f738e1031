package io.sluice.node.transaction;

import io.sluice.api.schema.Table;
import org.jspecify.annotations.Nullable;

/** Tables that transactions are on: those of one store, or those that are divided over several nodes. */
public interface Tables extends AutoCloseable {
    /**
     * Begins.
     *
     * @param ledger where the transaction keeps what it does
     * @param several whether several statements are to come
     */
    Snapshot snapshot(ReadWriteSet ledger, boolean several);

    /** The table of that name that can be read, or null. */
    @Nullable
    Table table(String name);

    /** How far a change log was applied, or null. */
    byte @Nullable [] position(String log);

    /** Whether nothing more can be asked of them. */
    boolean closed();

    @Override
    void close();
}
