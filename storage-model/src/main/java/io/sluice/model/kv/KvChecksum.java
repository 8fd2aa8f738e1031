package io.sluice.model.kv;

import java.util.zip.CRC32;

/**
 * The order-independent checksum of a set of KVs of one index. Two sets with equal checksums are the same set, except
 * with a probability of about 2^-32 per differing KV, because every KV contributes the CRC-32 of its key and value.
 *
 * @param count number of entries: of KVs, but those of column families other than 0 do not count
 * @param bytes total length of keys and values
 * @param crcSum sum, modulo 2^64, of the {@link IndexDigest} hashes of all KVs; independent of table ids
 */
public record KvChecksum(long count, long bytes, long crcSum) {
    public static final KvChecksum EMPTY = new KvChecksum(0, 0, 0);

    public KvChecksum plus(KvChecksum other) {
        return new KvChecksum(count + other.count, bytes + other.bytes, crcSum + other.crcSum);
    }

    public KvChecksum minus(KvChecksum other) {
        return new KvChecksum(count - other.count, bytes - other.bytes, crcSum - other.crcSum);
    }

    /** The sum of hashes as sixteen hexadecimal digits, for users to compare. */
    public String digest() {
        return String.format("%016x", crcSum);
    }

    /** A mutable checksum. Not thread-safe. */
    public static final class Accumulator {
        /** The stored CRC that stands for two CRCs: itself, and 0, which is never stored. */
        private static final int AMBIGUOUS = 1;

        private final IndexDigest digest;
        private final CRC32 crc = new CRC32();
        private long count;
        private long bytes;
        private long crcSum;

        /** Creates an empty checksum for KVs of one index. */
        public Accumulator(IndexDigest digest) {
            this.digest = digest;
        }

        /** Adds one KV, trusting the CRC at the start of its value; the value directly follows the key. */
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            add(buffer, keyOffset, keyLength, buffer, keyOffset + keyLength, valueLength);
        }

        /** Adds one KV, trusting the CRC at the start of its value. */
        public void add(byte[] key, byte[] value) {
            add(key, 0, key.length, value, 0, value.length);
        }

        private void add(byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength) {
            int stored = KvCrc.read(value, valueOffset);
            int whole = stored == AMBIGUOUS
                    ? KvCrc.crc(crc, key, keyOffset, keyLength, value, valueOffset, valueLength)
                    : stored;
            count(whole, key, keyOffset, keyLength, valueLength);
        }

        /**
         * Adds one KV by the start of its value, if the whole value is not needed.
         *
         * @param valueStart the CRC at the start of the value
         * @return whether the KV was added; if not, the caller adds key and value
         */
        public boolean addByStart(byte[] key, int keyLength, byte[] valueStart, int valueLength) {
            int stored = KvCrc.read(valueStart, 0);
            if (stored == AMBIGUOUS) {
                return false;
            }
            count(stored, key, 0, keyLength, valueLength);
            return true;
        }

        /**
         * Adds one KV if the CRC at the start of its value matches its bytes; the value directly follows the key.
         *
         * @return whether the CRC matches
         */
        public boolean addIntact(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            // Lengths may be damaged as well.
            return keyLength >= 0
                    && valueLength <= buffer.length - keyOffset - keyLength
                    && addIntact(buffer, keyOffset, keyLength, buffer, keyOffset + keyLength, valueLength);
        }

        /** Adds one KV as {@link #addIntact(byte[], int, int, int)}, with key and value in separate arrays. */
        public boolean addIntact(byte[] key, byte[] value) {
            return addIntact(key, 0, key.length, value, 0, value.length);
        }

        private boolean addIntact(
                byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength) {
            if (valueLength < ValueEncoding.HEADER_BYTES) {
                return false;
            }
            int whole = KvCrc.crc(crc, key, keyOffset, keyLength, value, valueOffset, valueLength);
            if (KvCrc.stored(whole) != KvCrc.read(value, valueOffset)) {
                return false;
            }
            count(whole, key, keyOffset, keyLength, valueLength);
            return true;
        }

        private void count(int whole, byte[] key, int keyOffset, int keyLength, int valueLength) {
            count += digest.entries(key, keyOffset, keyLength);
            bytes += keyLength + valueLength;
            crcSum += digest.of(whole, key, keyOffset, keyLength, valueLength);
        }

        /** Number of entries, as {@link KvChecksum#count}. */
        public long count() {
            return count;
        }

        /** Length of all keys and values so far. */
        public long bytes() {
            return bytes;
        }

        public KvChecksum sum() {
            return new KvChecksum(count, bytes, crcSum);
        }

        public void reset() {
            count = 0;
            bytes = 0;
            crcSum = 0;
        }
    }
}
