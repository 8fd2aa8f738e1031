package io.sluice.api.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps that only an import into an existing table has. The client takes them after
 * {@link ImportSession#finalizeIngest} and before {@link ImportSession#publish}, on one thread at a time.
 */
public interface AppendSession {
    /** Compares as {@link #checkOverlap(long, int)} does, and returns the first colliding keys. */
    default OverlapReport checkOverlap(int mostCollisions) {
        return checkOverlap(0, mostCollisions);
    }

    /**
     * Compares the shipped KVs with those of the table by a merge join. Changes nothing and may be repeated.
     *
     * @param skip number of colliding keys to leave out, which earlier calls have returned
     * @param mostCollisions maximum number of colliding keys to return; a node across a network may return fewer
     */
    OverlapReport checkOverlap(long skip, int mostCollisions);

    /** Finds the rows of the table that hold these keys: one per key, null where no row holds the key. */
    List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys);

    /**
     * Sets the rows of the table that the publication deletes with all their KVs, because rows of the import have their
     * keys. Replaces the list of the previous call.
     *
     * @param primaryKeys keys of the rows' primary KVs
     */
    void replace(List<byte[]> primaryKeys);
}
