package io.sluice.node.transaction;

import io.sluice.node.store.FamilyView;
import org.jspecify.annotations.Nullable;

/** Where rows are read by their primary keys: the one place for a cache of rows. Usable by several threads. */
@FunctionalInterface
public interface RowFetch {
    /** Straight from the tree. */
    RowFetch DIRECT = FamilyView::get;

    /**
     * The value of a primary KV as a snapshot has it, or null. The array may be shared: do not change it.
     *
     * @param view of the table's column family
     */
    byte @Nullable [] value(FamilyView view, byte[] primaryKey);
}
