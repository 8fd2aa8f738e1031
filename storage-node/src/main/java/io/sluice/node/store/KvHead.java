package io.sluice.node.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksIterator;

/**
 * The KV that a cursor is at, for somebody who passes over many: its key and how its value begins, in buffers that the
 * next KV overwrites, and a copy of all of it only when that is asked for. Making arrays of each key and value takes a
 * third of the time of a scan.
 */
public final class KvHead {
    /** As many bytes of a value as its CRC takes. */
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

    /** The same of a KV that is there already. */
    public static KvHead of(Kv kv) {
        return new KvHead(kv);
    }

    /** Takes over what a valid iterator is at. */
    void read(RocksIterator at) {
        keyLength = at.key(key);
        if (keyLength > key.length) {
            key = at.key();
        }
        valueLength = at.value(valueStart);
    }

    /** Begins with the key, and may be longer; not to be changed. */
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

    /** The KV, in arrays of its own. */
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
