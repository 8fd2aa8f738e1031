package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Writes batches to a database's write-ahead log. Usable by several threads.
 *
 * <p>Every batch carries a durable mark: the sequence number up to which all writes were known to be on disk when the
 * batch was created. RocksDB logs the mark and otherwise ignores it (PutLogData). {@link WriteAheadLog} needs it to
 * tell damage from a torn tail: RocksDB itself does not know which part of its log was synced (facebook/rocksdb#6963).
 */
public final class CommitLog implements AutoCloseable {
    /** Bytes of a durable mark. */
    static final int MARK_BYTES = Long.BYTES;
    /** RocksDB's tag for a batch entry that is logged and not applied. */
    static final byte LOG_DATA = 3;
    /** Bytes of a durable mark as an entry of a batch: the kind of the entry, the length of the mark, the mark. */
    public static final int ENTRY_BYTES = 2 + MARK_BYTES;

    private final RocksDB db;
    private final String refusal;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    /** Transactions write their keys in order, so RocksDB may seek each key from the position of the previous one. */
    private final WriteOptions buffered = new WriteOptions().setMemtableInsertHintPerBatch(true);

    /** Upper bound on the sequence numbers of writes that are known to be on disk. */
    private final AtomicLong durable = new AtomicLong();
    /** Lower bound on the latest sequence number in the log. Ingested files have numbers that are in no log. */
    private final AtomicLong logged = new AtomicLong();
    /** Whether a sync has failed: the kernel may have dropped pages that it could not write. */
    private volatile boolean failed;

    /**
     * Creates a log for a database, which must stay open as long as the log is used.
     *
     * @param refusal what to say of each write after a failed sync: what takes none, why, and what to do
     */
    public CommitLog(RocksDB db, String refusal) {
        this.db = db;
        this.refusal = refusal;
    }

    /** Creates a batch that holds only its durable mark. The caller closes it. */
    WriteBatch newBatch() throws RocksDBException {
        WriteBatch batch = new WriteBatch();
        try {
            batch.putLogData(
                    ByteBuffer.allocate(MARK_BYTES).putLong(durableMark()).array());
            return batch;
        } catch (RocksDBException | RuntimeException e) {
            batch.close();
            throw e;
        }
    }

    /** Writes a durable mark as an entry of a batch. */
    public static void putMark(long mark, ByteBuffer to) {
        to.put(LOG_DATA).put((byte) MARK_BYTES).putLong(mark);
    }

    /** The mark for the next batch. */
    public long durableMark() {
        return durable.get();
    }

    /** Writes a batch that is on disk when this returns. */
    void writeSynced(WriteBatch batch) throws RocksDBException {
        advance(durable, write(batch, synced));
    }

    /** Writes a batch that is on disk after the next {@link #sync}. */
    void write(WriteBatch batch) throws RocksDBException {
        long unused = write(batch, buffered);
    }

    /**
     * Writes a batch.
     *
     * @return a lower bound on its last sequence number
     */
    public long write(WriteBatch batch, WriteOptions options) throws RocksDBException {
        ensureSynced();
        long before = db.getLatestSequenceNumber();
        int writes = batch.count();
        db.write(options, batch);
        advance(logged, before + writes);
        return before + writes;
    }

    /** Makes all earlier writes durable. */
    public void sync() throws RocksDBException {
        ensureSynced();
        long before = logged.get();
        try {
            db.syncWal();
        } catch (RocksDBException e) {
            failed = true;
            throw e;
        }
        advance(durable, before);
    }

    /**
     * Refuses work after a failed sync, as each write and each sync does. A later sync that succeeds proves nothing
     * about earlier writes, because the kernel drops pages that it could not write.
     *
     * @throws OperationFailedException with the text of {@link #failure}
     */
    public void ensureSynced() {
        if (failed) {
            throw new OperationFailedException(refusal);
        }
    }

    /** The reason why the log takes no writes until its database is opened again; null: it does. */
    @Nullable
    String failure() {
        return failed ? refusal : null;
    }

    private static void advance(AtomicLong bound, long sequence) {
        long unused = bound.accumulateAndGet(sequence, Math::max);
    }

    /** Frees the write options. The caller closes the database. */
    @Override
    public void close() {
        synced.close();
        buffered.close();
    }
}
