package io.sluice.importer.sort;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A walk through a sorted run. After {@link #advance} answered true, {@link #buffer} holds the present key and value
 * until the next call. Used by one thread.
 */
public abstract class RunCursor implements AutoCloseable {
    /** First eight bytes of the present key, as a number that compares as they do. */
    long prefix;

    private byte[] buffer = new byte[0];
    private int keyOffset;
    private int keyLength;
    private int valueLength;

    /** Moves to the next KV; false behind the last. */
    public abstract boolean advance() throws IOException;

    /** Says where the present KV is; the value stands right behind the key. */
    protected final void set(byte[] newBuffer, int newKeyOffset, int newKeyLength, int newValueLength) {
        buffer = newBuffer;
        keyOffset = newKeyOffset;
        keyLength = newKeyLength;
        valueLength = newValueLength;
        prefix = Keys.prefix(newBuffer, newKeyOffset, newKeyLength, 0);
    }

    public final byte[] buffer() {
        return buffer;
    }

    public final int keyOffset() {
        return keyOffset;
    }

    public final int keyLength() {
        return keyLength;
    }

    public final int valueLength() {
        return valueLength;
    }

    /** Compares the present keys of two cursors. */
    final int compareKeys(RunCursor other) {
        int byPrefix = Long.compareUnsigned(prefix, other.prefix);
        return byPrefix != 0
                ? byPrefix
                : Arrays.compareUnsigned(
                        buffer,
                        keyOffset,
                        keyOffset + keyLength,
                        other.buffer,
                        other.keyOffset,
                        other.keyOffset + other.keyLength);
    }

    /** Whether the present key is below a bound; null is above every key. */
    protected final boolean isBelow(byte @Nullable [] bound) {
        return bound == null
                || Arrays.compareUnsigned(buffer, keyOffset, keyOffset + keyLength, bound, 0, bound.length) < 0;
    }

    @Override
    public void close() throws IOException {}
}
