package io.sluice.engine.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksIterator;

/**
 * The key and the first value bytes of the KV that a cursor is at, in buffers that the next KV overwrites.
 * {@link #copy} copies the whole KV. Creating arrays for each key and value would take a third of a scan's time.
 */
public final class KvHead {
    /** The length of the CRC that a value begins with. */
    private static final int VALUE_START_BYTES = Integer.BYTES;

    private static final int USUAL_KEY_BYTES = 128;

    private final byte[] valueStart = new byte[VALUE_START_BYTES];
    private final @Nullable RocksIterator iterator;
    private final @Nullable Kv kv;
    private byte[] key;
    private int keyLength;
    private int valueLength;

    KvHead(RocksIterator iterator) {
        this.iterator = iterator;
        kv = null;
        key = new byte[USUAL_KEY_BYTES];
    }

    private KvHead(Kv kv) {
        this.kv = kv;
        iterator = null;
        key = kv.key();
        keyLength = key.length;
        valueLength = kv.value().length;
        System.arraycopy(kv.value(), 0, valueStart, 0, Math.min(valueLength, VALUE_START_BYTES));
    }

    /** Wraps a KV that is in memory. */
    public static KvHead of(Kv kv) {
        return new KvHead(kv);
    }

    /** Reads the KV that a valid iterator is at. */
    void read(RocksIterator at) {
        keyLength = at.key(key);
        if (keyLength > key.length) {
            key = at.key();
        }
        valueLength = at.value(valueStart);
    }

    /** A buffer that begins with the key and may be longer. The caller must not change it. */
    public byte[] key() {
        return key;
    }

    public int keyLength() {
        return keyLength;
    }

    public int valueLength() {
        return valueLength;
    }

    /** The first four bytes of the value. */
    public byte[] valueStart() {
        return valueStart;
    }

    /** Copies the KV into new arrays. */
    public Kv copy() {
        if (iterator == null) {
            if (kv == null) {
                throw new IllegalStateException("of no KV");
            }
            return kv;
        }
        return new Kv(Arrays.copyOf(key, keyLength), iterator.value());
    }
}
