package io.sluice.node.shuffle;

import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.node.store.SstWriter;
import io.sluice.node.store.StoreErrors;
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
 * Writes KVs of one index, which come in key order, to SSTs that do not overlap. KVs go from the buffer's native memory
 * through two direct buffers into the writer's, and on the way their checksums are worked out anew. For one thread.
 */
public final class SortedSsts {
    /** Enough for a disk to stream; with 128 runs open in each of two threads it makes 64 MiB. */
    private static final long READAHEAD_BYTES = 256 << 10;

    private static final int FIRST_KEY_BYTES = 1 << 10;
    private static final int FIRST_VALUE_BYTES = 64 << 10;
    /** KVs between looks at whether the store is being closed: some milliseconds. */
    private static final int LOOK_EVERY_KVS = 8192;

    private final IndexDigest index;
    private final Path directory;
    private final long sstBytes;
    private final List<SstFile> written = new ArrayList<>();
    private final KvChecksum.Accumulator sum;
    private ByteBuffer key = ByteBuffer.allocateDirect(FIRST_KEY_BYTES);
    private ByteBuffer keyBefore = ByteBuffer.allocateDirect(FIRST_KEY_BYTES);
    private ByteBuffer value = ByteBuffer.allocateDirect(FIRST_VALUE_BYTES);
    /** A KV whose checksum is worked out anew. */
    private byte[] kv = new byte[FIRST_KEY_BYTES];

    private UUID id = new UUID(0, 0);
    private SampledKeys samples = new SampledKeys(id);
    private byte[] firstKey = {};

    /**
     * A writer that has written nothing.
     *
     * @param directory where the SSTs go; must exist
     * @param sstBytes KVs at which one ends
     */
    SortedSsts(IndexDigest index, Path directory, long sstBytes) {
        this.index = index;
        sum = new KvChecksum.Accumulator(index);
        this.directory = directory;
        this.sstBytes = sstBytes;
    }

    /** The SSTs, complete and synced, in key order. */
    public List<SstFile> written() {
        return written;
    }

    /**
     * Writes all KVs between two keys.
     *
     * @param ensureOpen asked now and then; what it throws ends the reading
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
                if (count++ % LOOK_EVERY_KVS == 0) {
                    ensureOpen.run();
                }
                fetch(kvs);
                if (open != null && open.bytes() >= sstBytes) {
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

    /** Copies the KV that an iterator is at, without the bytes in front of its key, making room as needed. */
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

    /** Adds the KV to the sum, if its bytes are those that were encoded. */
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
