package io.sluice.importer.sort;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over a sorted run. After {@link #advance} returned true, {@link #buffer} holds the current key and value
 * until the next call. For one thread.
 */
public abstract class RunCursor implements AutoCloseable {
    /** First eight bytes of the current key as a number; its unsigned order is the order of the bytes. */
    long prefix;

    private byte[] buffer = new byte[0];
    private int keyOffset;
    private int keyLength;
    private int valueLength;

    /** Moves to the next KV; false after the last. */
    public abstract boolean advance() throws IOException;

    /** Sets the current KV; the value is right after the key. */
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

    /** The current key, as a copy. */
    public final byte[] key() {
        return Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength);
    }

    public final int keyLength() {
        return keyLength;
    }

    public final int valueLength() {
        return valueLength;
    }

    /** Compares the current keys of two cursors. */
    public final int compareKeys(RunCursor other) {
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

    /** Whether the current key is below a bound; null is above every key. */
    protected final boolean isBelow(byte @Nullable [] bound) {
        return bound == null
                || Arrays.compareUnsigned(buffer, keyOffset, keyOffset + keyLength, bound, 0, bound.length) < 0;
    }

    @Override
    public void close() throws IOException {}
}
