package io.sluice.importer.sort;

import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.Arrays;

/**
 * Passes on the first KV of every key. It counts a later one with the same value as a duplicate, and reports one with
 * another value as a conflict. It holds both back, and fails if their own CRC does not match.
 */
public final class UniqueSink implements KvSink {
    private final KvSink target;
    private final ConflictLog conflicts;
    private final int index;
    private final IndexDigest digest;
    private final KvChecksum.Accumulator heldBack;

    private byte[] last = new byte[1 << 10];
    private int lastKeyLength = -1;
    private int lastValueLength;

    /** Creates a sink for KVs of one index, in the order of their keys. */
    public UniqueSink(KvSink target, IndexDigest digest, int index, ConflictLog conflicts) {
        this.target = target;
        this.digest = digest;
        heldBack = new KvChecksum.Accumulator(digest);
        this.index = index;
        this.conflicts = conflicts;
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        int keyEnd = keyOffset + keyLength;
        if (keyLength == lastKeyLength && Arrays.equals(last, 0, keyLength, buffer, keyOffset, keyEnd)) {
            repeated(buffer, keyOffset, keyLength, valueLength);
            return;
        }
        int length = keyLength + valueLength;
        if (length > last.length) {
            last = new byte[2 * length];
        }
        System.arraycopy(buffer, keyOffset, last, 0, length);
        lastKeyLength = keyLength;
        lastValueLength = valueLength;
        target.add(buffer, keyOffset, keyLength, valueLength);
    }

    private void repeated(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        int value = keyOffset + keyLength;
        if (!heldBack.addIntact(buffer, keyOffset, keyLength, valueLength)) {
            // A damaged KV is not a conflict.
            throw digest.damaged(buffer, keyOffset, keyLength, "merging");
        }
        boolean same = Arrays.equals(last, keyLength, keyLength + lastValueLength, buffer, value, value + valueLength);
        if (same) {
            conflicts.duplicate(index);
        } else {
            conflicts.conflict(
                    index,
                    Arrays.copyOf(last, keyLength),
                    Arrays.copyOfRange(last, keyLength, keyLength + lastValueLength),
                    Arrays.copyOfRange(buffer, value, value + valueLength));
        }
    }

    /** Checksum of the KVs that were not passed on. */
    public KvChecksum heldBack() {
        return heldBack.sum();
    }
}
