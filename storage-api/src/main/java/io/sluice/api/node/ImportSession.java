package io.sluice.api.node;

import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One import into one table, as the node sees it. The importer opens it, ships SSTs, finalizes, verifies and publishes.
 * Closing a session that was neither published nor detached undoes the import.
 *
 * <p>Several threads may call {@link #ship}, {@link #shuffle}, {@link #chooseCuts} and {@link #putCheckpoint}; only one
 * thread at a time may call the other methods.
 */
public interface ImportSession extends AutoCloseable {
    /** Key prefix of the checkpoint records of finished input: all nodes hold the KVs of that input durably. */
    String DONE = "done-";

    /** Key of the checkpoint record that says that only {@link #publish} is left to do. */
    String FINISHED = "finished";

    /** The table with the ids that its keys must carry. */
    Table table();

    /** Creates the encoders of the table's indexes, in its order, for one worker. */
    default List<? extends KvEncoder> encoders() {
        PlainKvs plain = plain();
        return plain == null ? IndexEncoder.ofAll(table()) : plain.encoders();
    }

    /** The form of the KVs if they are for another database; null for KVs of the table. */
    default @Nullable PlainKvs plain() {
        return null;
    }

    /** Whether this session resumes an import that an earlier session opened. */
    boolean resumed();

    /**
     * Chooses the keys at which the importer cuts SSTs of an index; called before the first SST is written.
     *
     * @param indexId the index
     * @param proposed keys that split the index's KVs into parts of about equal size, ascending
     * @return the keys to cut at, ascending; empty when one node holds all keys. Later calls return the same keys.
     */
    default List<byte[]> chooseCuts(int indexId, List<byte[]> proposed) {
        return List.of();
    }

    /** The key ranges and the nodes that hold them; {@link RangeDirectory#SINGLE_NODE} until {@link #assign}. */
    RangeDirectory directory();

    /**
     * Stores the range directory on the node, durably.
     *
     * @throws io.sluice.model.error.OperationFailedException if the node has a different directory of the same or a
     *     later epoch, or has ingested keys that it would no longer hold
     */
    void assign(RangeDirectory directory);

    /** Number of nodes that take SSTs. */
    default int nodes() {
        return 1;
    }

    /** Milliseconds that all SSTs together were on their way so far, by the node's name; empty for a single node. */
    default Map<String, Long> shippingMillis() {
        return Map.of();
    }

    /** Warnings about the nodes, one sentence each: such as a node that was left out. */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * Whether a shipped SST must be a file that is synced to disk, since the node takes the file itself over. Other
     * nodes receive a copy of its bytes, from a file or from memory, and sync that copy.
     */
    default boolean takesFiles() {
        return true;
    }

    /** Ships as {@link #ship(SstFile, long)} to a table on a single node. */
    default ShipAnswer ship(SstFile sst) {
        return ship(sst, RangeDirectory.SINGLE_NODE.epoch());
    }

    /**
     * Ships a finished SST to the node. A node that takes the SST has verified its length, span and checksums. It
     * stages the SST until {@link #finalizeIngest} or ingests it at once, according to the session's
     * {@link IngestTiming}.
     *
     * @param epoch epoch of the directory that the SST was cut for
     * @throws io.sluice.model.error.OperationFailedException if the file does not match its description
     */
    ShipAnswer ship(SstFile sst, long epoch);

    /** Sends KVs for the node to sort; only with {@link IngestTiming#SHUFFLED}. */
    ShipAnswer shuffle(ShuffleBatch batch, long epoch);

    /**
     * Stores a checkpoint record durably for a later attempt that resumes the import. A key that exists keeps its first
     * value.
     *
     * @param value at most 1 MiB
     */
    void putCheckpoint(String key, byte[] value);

    /**
     * All checkpoint records, by key. On a cluster, {@link #DONE} and {@link #FINISHED} records are returned only if
     * all nodes have them.
     */
    Map<String, byte[]> checkpoints();

    /**
     * Ingests everything shipped so far into the table's LSM tree (atomically with {@link IngestTiming#AT_END}), and
     * compacts until no two files overlap.
     */
    IngestReport finalizeIngest();

    /**
     * Checksums of what the table holds now, per index, without reading it: entry counts from the tree's metadata,
     * checksums from the SSTs that were verified on arrival.
     */
    List<IndexChecksum> present();

    /**
     * Reads back all KVs, as {@link NodeClient#digest} does. If the import adds rows to an existing table, the digest
     * covers the existing and the new rows together, as they will be after {@link #publish}.
     */
    default TableDigest readBack() {
        return readBack(List.of(KeySpan.ALL));
    }

    /** Reads back only the KVs in these spans, which must not overlap; see {@link #readBack()}. */
    TableDigest readBack(List<KeySpan> spans);

    /** The additional steps of an import that adds rows to an existing table; null when the table is new. */
    default @Nullable AppendSession append() {
        return null;
    }

    /** Makes the table visible, atomically and durably, and ends the session. Idempotent. */
    void publish(List<IndexChecksum> imported);

    /** Ends the session and keeps a resumable import as it is, for a later session. No effect after publication. */
    void detach();

    /**
     * Undoes the import and opens it again with the same table id, so that keys and digests stay the same.
     *
     * @return the new session, which ends this one; null if the node cannot restart the import and this session stays
     *     as it was
     */
    default @Nullable ImportSession restart() {
        return null;
    }

    /**
     * Ends a session whose work is not wanted. Detaches an import with checkpoint records, since an earlier session has
     * worked on it and a later one can go on. Undoes another one: nothing is in it.
     */
    default void abandon() {
        if (checkpoints().isEmpty()) {
            close();
        } else {
            detach();
        }
    }

    /** Undoes the import unless it was published or detached. */
    @Override
    void close();
}
