package io.sluice.node.shuffle;

import io.sluice.api.node.ShuffleBatch;
import io.sluice.engine.store.CommitLog;
import io.sluice.engine.store.StoreErrors;
import io.sluice.engine.store.UseCount;
import io.sluice.engine.store.WriteAheadLog;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Status;
import org.rocksdb.TickerType;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A buffer of one import's KVs, in a temporary RocksDB that sorts them:
 *
 * <ol>
 *   <li>{@link #take}: a batch goes into the log and a memtable, with a record that marks it as taken. A repeated batch
 *       is recognized by its id. The log is not synced: a crash of the process loses nothing, a power cut loses the
 *       last batches as a whole.
 *   <li>{@link #sync}: all taken batches are durable. After a failed sync the buffer refuses every step until it is
 *       opened again, because the kernel drops pages that it could not write, and a later sync proves nothing about
 *       them.
 *   <li>{@link #read}: the KVs of an index in key order, once.
 * </ol>
 *
 * <p>After {@link #close} its owner deletes the directory, or opens it again.
 *
 * <p>It keeps one of several KVs with the same key, without an error, so the caller must count them. Usable by several
 * threads. Memory in addition to the memtables: 48 bytes per batch, or 48 MB for a million batches of 1 MiB.
 */
public final class ShuffleBuffer implements AutoCloseable {
    /** Lock stripes by batch id: deliveries of one id are serialized, others rarely wait. */
    private static final int STRIPES = 64;
    /** Bytes of KVs between measurements of the files' size. */
    private static final long MEASURE_EVERY_BYTES = 256L << 20;

    private static final String WAY_OUT = "Undo the import, and import again";

    private final Path directory;
    private final ShuffleSettings settings;
    private final ShuffleOptions options;
    private final WriteOptions writing;
    private final RocksDB db;
    private final CommitLog log;
    private final UseCount uses = new UseCount();
    private final Object[] stripes = Stream.generate(Object::new).limit(STRIPES).toArray();
    private final Set<UUID> taken = ConcurrentHashMap.newKeySet();
    private final Map<Integer, KeySamples> samples = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong measureAtBytes = new AtomicLong(MEASURE_EVERY_BYTES);
    private final AtomicLong peakBytes = new AtomicLong();

    private ShuffleBuffer(Path directory, ShuffleSettings settings, ShuffleOptions options, RocksDB db) {
        this.directory = directory;
        this.settings = settings;
        this.options = options;
        this.db = db;
        log = new CommitLog(
                db,
                "the shuffle buffer " + directory + " takes no more KVs: an earlier sync of its log failed."
                        + " See to the disk, then restart the node, or undo the import and import again");
        // A write that would stall fails instead of waiting. Batches are sorted, so each KV belongs after the previous
        // one.
        writing = new WriteOptions().setNoSlowdown(true).setMemtableInsertHintPerBatch(true);
    }

    /** Opens a buffer, and creates it if it does not exist. It recognizes batches that were taken before. */
    public static ShuffleBuffer open(Path directory, ShuffleSettings settings) {
        RocksDB.loadLibrary();
        ShuffleOptions options = new ShuffleOptions(settings);
        ShuffleBuffer buffer;
        try {
            RocksDB db = WriteAheadLog.open(directory, mode -> open(directory, options, mode), WAY_OUT)
                    .db();
            buffer = new ShuffleBuffer(directory, settings, options, db);
        } catch (RocksDBException e) {
            options.close();
            throw StoreErrors.failed("open the shuffle buffer " + directory, e);
        } catch (RuntimeException e) {
            options.close();
            throw e;
        }
        try {
            buffer.loadTaken();
            return buffer;
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
    }

    private static RocksDB open(Path directory, ShuffleOptions options, WALRecoveryMode mode) throws RocksDBException {
        Options with = options.options().setWalRecoveryMode(mode);
        return RocksDB.open(with, directory.toString());
    }

    private void loadTaken() {
        try (Slice end = new Slice(BatchFormat.MARKS.end());
                ReadOptions reading = new ReadOptions().setIterateUpperBound(end);
                RocksIterator marks = db.newIterator(reading)) {
            for (marks.seek(BatchFormat.MARKS.start()); marks.isValid(); marks.next()) {
                taken.add(BatchFormat.batchId(marks.key()));
                bytes.addAndGet(BatchFormat.batchSum(marks.value()).bytes());
            }
            marks.status();
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read the shuffle buffer " + directory, e);
        }
    }

    /**
     * Takes a batch, unless it was taken before.
     *
     * @param ordinal position of its index in the table, from 0
     * @param keys the span of that index
     * @param digest digest of that index
     * @return false when the disk is too slow and the sender must send the batch again
     * @throws OperationFailedException when the batch does not match its description, or cannot be written
     */
    public boolean take(ShuffleBatch batch, int ordinal, KeySpan keys, IndexDigest digest) {
        enter();
        try {
            log.ensureSynced();
            synchronized (stripes[(batch.id().hashCode() & Integer.MAX_VALUE) % STRIPES]) {
                if (taken.contains(batch.id())) {
                    return true;
                }
                if (!write(BatchFormat.encode(batch, ordinal, keys, digest, log.durableMark()))) {
                    return false;
                }
                taken.add(batch.id());
            }
            if (batch.lengthBytes() > 0) {
                BatchFormat.offerFirstKey(batch, samples(ordinal));
            }
            measure(bytes.addAndGet(batch.sum().bytes()));
            return true;
        } finally {
            uses.exit();
        }
    }

    private boolean write(byte[] batch) {
        try (WriteBatch writes = new WriteBatch(batch)) {
            long unused = log.write(writes, writing);
            return true;
        } catch (RocksDBException e) {
            Status status = e.getStatus();
            if (status != null && status.getCode() == Status.Code.Incomplete) {
                return false;
            }
            throw StoreErrors.failed("buffer a batch of KVs", e);
        }
    }

    private KeySamples samples(int ordinal) {
        return samples.computeIfAbsent(ordinal, any -> new KeySamples());
    }

    /** The total length of all taken KVs. */
    public long bytes() {
        return bytes.get();
    }

    /** Makes all taken batches durable. */
    public void sync() {
        enter();
        try {
            log.sync();
            peakBytes.accumulateAndGet(fileBytes(), Math::max);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("sync the shuffle buffer " + directory, e);
        } finally {
            uses.exit();
        }
    }

    /** Cuts the keys of an index into at most {@code parts} parts of about equal size, in key order. */
    public List<KeySpan> cut(int ordinal, KeySpan keys, int parts) {
        return samples(ordinal).cut(keys, parts);
    }

    /**
     * Passes the KVs of an index within a span to the target, in key order. Several threads may read in parallel.
     * {@link #close} makes running reads fail soon, and waits for them.
     */
    public void read(int ordinal, KeySpan span, SortedSsts target) {
        enter();
        try {
            log.ensureSynced();
            target.readFrom(
                    db,
                    BatchFormat.buffered(ordinal, span.start()),
                    BatchFormat.buffered(ordinal, span.end()),
                    this::ensureWanted);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read the shuffle buffer " + directory, e);
        } finally {
            uses.exit();
        }
    }

    /** Creates a writer of SSTs for {@link #read}. */
    public SortedSsts newSsts(IndexDigest index, Path into) {
        return new SortedSsts(index, into, settings.sstBytes());
    }

    /** Bytes written to disk: to the log, and as sorted runs and their compactions. */
    public long bytesWritten() {
        enter();
        try {
            return ticker(TickerType.WAL_FILE_BYTES)
                    + ticker(TickerType.FLUSH_WRITE_BYTES)
                    + ticker(TickerType.COMPACT_WRITE_BYTES);
        } finally {
            uses.exit();
        }
    }

    /** The largest measured size of the files. */
    public long peakBytes() {
        return peakBytes.get();
    }

    private long ticker(TickerType type) {
        return options.statistics().getTickerCount(type);
    }

    private void measure(long now) {
        long at = measureAtBytes.get();
        if (now >= at && measureAtBytes.compareAndSet(at, now + MEASURE_EVERY_BYTES)) {
            peakBytes.accumulateAndGet(fileBytes(), Math::max);
        }
    }

    private long fileBytes() {
        long sum = 0;
        try {
            for (Path file : DurableFiles.list(directory)) {
                // A file that is removed during the listing counts as empty.
                sum += Files.exists(file) ? file.toFile().length() : 0;
            }
            return sum;
        } catch (IOException e) {
            throw StoreErrors.failed("list " + directory, e);
        }
    }

    private void enter() {
        if (!uses.enter()) {
            throw closed();
        }
    }

    private void ensureOpen() {
        if (uses.closed()) {
            throw closed();
        }
    }

    private void ensureWanted() {
        ensureOpen();
        if (Thread.currentThread().isInterrupted()) {
            throw new OperationFailedException("reading the shuffle buffer was interrupted");
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the shuffle buffer is closed");
    }

    /** Waits for calls in progress, and closes the buffer. Its files stay. A second call does nothing. */
    @Override
    public void close() {
        if (uses.closeAndAwait()) {
            log.close();
            db.close();
            writing.close();
            options.close();
        }
    }
}
