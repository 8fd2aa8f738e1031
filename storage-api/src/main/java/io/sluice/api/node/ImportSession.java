package io.sluice.api.node;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One import into one new table, as the node sees it: begin, ship SSTs, settle, check, publish. Closing a session that
 * was neither published nor detached undoes it. {@link #ship}, {@link #shuffle}, {@link #chooseCuts} and {@link #putCheckpoint}
 * may be called by several threads; the other methods by one.
 */
public interface ImportSession extends AutoCloseable {
    /** Notes with keys that begin so claim that a stretch of the input is done: all nodes have what came of it. */
    String DONE = "done-";

    /** Key of the note that claims that nothing is left to do but to publish. */
    String FINISHED = "finished";

    /** The table with the ids its keys must carry. */
    Table table();

    /** Whether this goes on with an import that was begun before. */
    boolean resumed();

    /**
     * Asks where SSTs of an index are to be cut, before the first one is made.
     *
     * @param indexId the index
     * @param proposed keys that divide its KVs into parts of about equal size, ascending
     * @return the keys to cut at, ascending; none when one node holds everything. Whoever asks later gets the same.
     */
    default List<byte[]> chooseCuts(int indexId, List<byte[]> proposed) {
        return List.of();
    }

    /** How the keys are divided among nodes; {@link RangeDirectory#SINGLE_NODE} until {@link #assign}. */
    RangeDirectory directory();

    /**
     * Tells the node how the keys are divided, durably.
     *
     * @throws io.sluice.api.error.OperationFailedException when it knows a directory of the same or a later epoch that
     *     differs, or has ingested keys that it would no longer hold
     */
    void assign(RangeDirectory directory);

    /** As {@link #ship(SstFile, long)}, where nothing is divided. */
    default ShipAnswer ship(SstFile sst) {
        return ship(sst, RangeDirectory.SINGLE_NODE.epoch());
    }

    /**
     * Hands a finished SST over. When the node takes it, it has verified length, span and checksums, and keeps it:
     * staged until {@link #finalizeIngest}, or ingested at once, as the session's {@link IngestTiming} says.
     *
     * @param epoch of the directory that the SST was cut for
     * @throws io.sluice.api.error.OperationFailedException when the file is not what it says it is
     */
    ShipAnswer ship(SstFile sst, long epoch);

    /** Hands KVs over that the node is to sort; for {@link IngestTiming#SHUFFLED} only. */
    ShipAnswer shuffle(ShuffleBatch batch, long epoch);

    /**
     * Keeps a note for whoever resumes the import, durably. Notes are added to what is there and never replace it: a
     * key that is known stays as it was.
     *
     * @param value at most 1 MiB
     */
    void putCheckpoint(String key, byte[] value);

    /**
     * All notes, by key. Of several nodes, a claim ({@link #DONE}, {@link #FINISHED}) counts only if all nodes have it.
     */
    Map<String, byte[]> checkpoints();

    /**
     * Brings everything shipped so far into the table's LSM tree (atomically, if the session ingests at the end) and
     * merges until no two files hold the same keys.
     */
    IngestReport finalizeIngest();

    /**
     * What the table holds now, per index, as far as that is known without reading it: entries by the tree's own
     * metadata, sums from the SSTs that were verified on arrival.
     */
    List<IndexChecksum> present();

    /**
     * Reads everything back, as {@link NodeClient#digest} does. Where rows are added to a table that exists, that is
     * what the table has and what is to come into it, as they will add up when the import is published.
     */
    default TableDigest readBack() {
        return readBack(List.of(new KeySpan(new byte[0], KeySpan.prefixEnd(new byte[0]))));
    }

    /** As {@link #readBack()}, of those KVs only whose keys lie in one of these spans, which must not overlap. */
    TableDigest readBack(List<KeySpan> spans);

    /**
     * Holds what was shipped against what the table has, when it is one that exists; after {@link #finalizeIngest}. It
     * changes nothing, and may be done again.
     *
     * @param mostCollisions how many colliding keys to name
     */
    default OverlapReport checkOverlap(int mostCollisions) {
        throw new OperationFailedException("table " + table().name() + " is new: there is nothing to meet");
    }

    /** The rows of the table, when it is one that exists, that hold keys: one per key, null where nobody holds it. */
    default List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        throw new OperationFailedException("table " + table().name() + " is new: it has no rows");
    }

    /**
     * Names the rows of the table that are to go when the import is published, with all their KVs: rows of the import
     * have their keys. Replaces what was named before.
     *
     * @param primaryKeys keys of their primary KVs
     */
    default void replace(List<byte[]> primaryKeys) {
        throw new OperationFailedException("table " + table().name() + " is new: it has no rows");
    }

    /** Makes the table visible, atomically and durably; the session is over. Once done, doing it again is no error. */
    void publish(List<IndexChecksum> imported);

    /** Leaves an import that can be resumed as it is, to be gone on with later; the session is over. */
    void detach();

    /**
     * Undoes the import and begins it anew with the same table id, so that keys and digests are what they would have
     * been the first time.
     *
     * @return the session to go on with, and this one is over; null when it cannot be done, and this one is as it was
     */
    default @Nullable ImportSession restart() {
        return null;
    }

    /** Undoes the import unless it was published or detached. */
    @Override
    void close();
}
