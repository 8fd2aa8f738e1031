package io.sluice.sql.transaction;

import io.sluice.engine.store.FamilyView;
import org.jspecify.annotations.Nullable;

/** Reads rows by primary key; a row cache plugs in here. Thread-safe. */
@FunctionalInterface
public interface RowFetch {
    /** Reads from the LSM tree without a cache. */
    RowFetch DIRECT = FamilyView::get;

    /**
     * Returns the value of a primary KV in a snapshot, or null. The array may be shared: do not modify it.
     *
     * @param view the snapshot of the table's column family
     */
    byte @Nullable [] value(FamilyView view, byte[] primaryKey);
}
