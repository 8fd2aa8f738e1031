package io.sluice.node.shuffle;

import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstWriter;
import io.sluice.engine.store.StoreErrors;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * Writes KVs of one index, in key order, to SSTs that do not overlap. KVs go from the buffer's native memory through
 * direct buffers into the writer's, and their checksums are recomputed on the way. For one thread.
 */
public final class SortedSsts {
    /** Enough for sequential disk reads; 128 open runs in each of two threads make 64 MiB. */
    private static final long READAHEAD_BYTES = 256 << 10;

    private static final int FIRST_KEY_BYTES = 1 << 10;
    private static final int FIRST_VALUE_BYTES = 64 << 10;
    /** KVs between checks whether the store is closing: some milliseconds. */
    private static final int CHECK_EVERY_KVS = 8192;

    private final IndexDigest index;
    private final Path directory;
    private final long sstBytes;
    private final List<SstFile> written = new ArrayList<>();
    private final KvChecksum.Accumulator sum;
    private ByteBuffer key = ByteBuffer.allocateDirect(FIRST_KEY_BYTES);
    private ByteBuffer keyBefore = ByteBuffer.allocateDirect(FIRST_KEY_BYTES);
    private ByteBuffer value = ByteBuffer.allocateDirect(FIRST_VALUE_BYTES);
    /** The KV whose checksum is recomputed. */
    private byte[] kv = new byte[FIRST_KEY_BYTES];

    private UUID id = new UUID(0, 0);
    private SampledKeys samples = new SampledKeys(id);
    private byte[] firstKey = {};

    /**
     * Creates a writer.
     *
     * @param directory existing directory of the SSTs
     * @param sstBytes bytes of KVs at which an SST ends
     */
    SortedSsts(IndexDigest index, Path directory, long sstBytes) {
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        this.directory = directory;
        this.sstBytes = sstBytes;
    }

    /** The written SSTs, complete and synced, in key order. */
    public List<SstFile> written() {
        return written;
    }

    /**
     * Writes all KVs between two keys.
     *
     * @param ensureOpen called regularly; its exception ends the read
     */
    void readFrom(RocksDB db, byte[] from, byte[] to, Runnable ensureOpen) throws RocksDBException {
        SstWriter open = null;
        try (Slice end = new Slice(to);
                ReadOptions reading = new ReadOptions()
                        .setIterateUpperBound(end)
                        .setFillCache(false)
                        .setReadaheadSize(READAHEAD_BYTES);
                RocksIterator kvs = db.newIterator(reading)) {
            long count = 0;
            for (kvs.seek(from); kvs.isValid(); kvs.next()) {
                if (count++ % CHECK_EVERY_KVS == 0) {
                    ensureOpen.run();
                }
                fetch(kvs);
                if (open != null && open.bytes() >= sstBytes && beginsEntry()) {
                    finish(open, keyBefore);
                    open = null;
                }
                if (open == null) {
                    open = begin();
                }
                add();
                open.add(key, value);
            }
            kvs.status();
            if (open != null) {
                finish(open, key);
                open = null;
            }
        } finally {
            if (open != null) {
                open.close();
            }
        }
    }

    /** Whether the KV is the first of its entry, so that no entry is in two SSTs. */
    private boolean beginsEntry() {
        return !index.severalFamilies() || EntryKeys.first(copy(key));
    }

    /** Copies an iterator's KV without the prefix of its key, and grows the buffers as needed. */
    private void fetch(RocksIterator kvs) {
        ByteBuffer free = keyBefore;
        keyBefore = key;
        key = free;
        int keyLength = kvs.key(key.clear());
        if (keyLength > key.capacity()) {
            key = ByteBuffer.allocateDirect(2 * keyLength);
            kvs.key(key);
        }
        key.limit(keyLength).position(BatchFormat.PREFIX_BYTES);
        int valueLength = kvs.value(value.clear());
        if (valueLength > value.capacity()) {
            value = ByteBuffer.allocateDirect(2 * valueLength);
            kvs.value(value);
        }
        value.limit(valueLength).position(0);
    }

    /** Checks the KV's CRC, and adds it to the checksum. */
    private void add() {
        int keyLength = key.remaining();
        int length = keyLength + value.remaining();
        if (kv.length < length) {
            kv = new byte[2 * length];
        }
        key.get(key.position(), kv, 0, keyLength);
        value.get(0, kv, keyLength, value.remaining());
        if (!sum.addIntact(kv, 0, keyLength, value.remaining())) {
            throw index.damaged(kv, 0, keyLength, "the SST that the node sorted it into");
        }
        samples.offer(sum.bytes(), kv, 0, keyLength);
    }

    private SstWriter begin() {
        id = UUID.randomUUID();
        samples = new SampledKeys(id);
        firstKey = copy(key);
        sum.reset();
        return new SstWriter(directory.resolve(id + ".sst"));
    }

    private static byte[] copy(ByteBuffer key) {
        byte[] copy = new byte[key.remaining()];
        key.duplicate().get(copy);
        return copy;
    }

    private void finish(SstWriter open, ByteBuffer last) {
        try (open) {
            open.finish();
            written.add(new SstFile(
                    id,
                    open.path(),
                    index.indexId(),
                    firstKey,
                    copy(last),
                    Files.size(open.path()),
                    sum.sum(),
                    samples.keys()));
        } catch (IOException e) {
            throw StoreErrors.failed("finish SST " + open.path().getFileName(), e);
        }
    }
}
