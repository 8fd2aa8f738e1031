package io.sluice.importer.sort;

import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the first KV of every key. It counts a later one with the same value as a duplicate, and reports one with
 * another value as a conflict. It holds both back, and fails if their own CRC does not match.
 *
 * <p>Of a table with several column families, it compares whole entries. Entries with the same key are duplicates only
 * if all have the same KVs: an entry may lack a KV that another one has. Each entry but the first then counts as one
 * duplicate or one conflict. The KVs must hold whole entries.
 */
public final class UniqueSink implements KvSink {
    private final KvSink target;
    private final ConflictLog conflicts;
    private final int index;
    private final IndexDigest digest;
    private final KvChecksum.Accumulator heldBack;
    /** Null: each entry is one KV. */
    private final @Nullable Entries entries;

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
        entries = digest.severalFamilies() ? new Entries() : null;
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
        if (entries != null) {
            entries.next();
        }
        target.add(buffer, keyOffset, keyLength, valueLength);
    }

    private void repeated(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        int value = keyOffset + keyLength;
        if (!heldBack.addIntact(buffer, keyOffset, keyLength, valueLength)) {
            // A damaged KV is not a conflict.
            throw digest.damaged(buffer, keyOffset, keyLength, "merging");
        }
        boolean same = Arrays.equals(last, keyLength, keyLength + lastValueLength, buffer, value, value + valueLength);
        if (entries != null) {
            entries.repeated(same, Arrays.copyOfRange(buffer, value, value + valueLength));
        } else if (same) {
            conflicts.duplicate(index);
        } else {
            conflicts.conflict(
                    index,
                    Arrays.copyOf(last, keyLength),
                    Arrays.copyOfRange(last, keyLength, keyLength + lastValueLength),
                    Arrays.copyOfRange(buffer, value, value + valueLength));
        }
    }

    /** Completes the last entry. Returns the checksum of the KVs that were not passed on. */
    public KvChecksum finish() {
        if (entries != null) {
            entries.end();
        }
        return heldBack.sum();
    }

    /** Counts the KVs of the entries with one key, family by family. */
    private final class Entries {
        private byte[] firstKey = {};
        private byte[] firstValue = {};
        private byte[] otherValue = {};
        /** Number of entries: of KVs of family 0. */
        private int count;
        /** Number of KVs of the current family. */
        private int ofFamily;

        private boolean differ;

        /** Begins the KVs with the key in {@link #last}. */
        void next() {
            if (EntryKeys.first(last, 0, lastKeyLength)) {
                end();
                firstKey = Arrays.copyOf(last, lastKeyLength);
                firstValue = Arrays.copyOfRange(last, lastKeyLength, lastKeyLength + lastValueLength);
                otherValue = firstValue;
                differ = false;
                count = 1;
            } else {
                differ |= ofFamily != count;
            }
            ofFamily = 1;
        }

        void repeated(boolean same, byte[] value) {
            ofFamily++;
            differ |= !same;
            if (EntryKeys.first(last, 0, lastKeyLength)) {
                count++;
                otherValue = same ? otherValue : value;
            }
        }

        void end() {
            differ |= ofFamily != count;
            for (int i = 1; i < count; i++) {
                if (differ) {
                    conflicts.conflict(index, firstKey, firstValue, otherValue);
                } else {
                    conflicts.duplicate(index);
                }
            }
            count = 0;
            ofFamily = 0;
        }
    }
}
