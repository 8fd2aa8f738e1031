package io.sluice.api.kv;

import java.util.zip.CRC32;

/**
 * What a set of KVs of one index adds up to, whatever their order: two sets with the same sum are the same set but for
 * a chance of about 2^-32 per differing KV, because every KV brings the CRC-32 of its key and value along.
 *
 * @param count how many KVs
 * @param bytes length of all keys and values
 * @param crcSum sum, modulo 2^64, of what {@link IndexDigest} makes of every KV: the same under any ids of tables
 */
public record KvChecksum(long count, long bytes, long crcSum) {
    public static final KvChecksum EMPTY = new KvChecksum(0, 0, 0);

    public KvChecksum plus(KvChecksum other) {
        return new KvChecksum(count + other.count, bytes + other.bytes, crcSum + other.crcSum);
    }

    public KvChecksum minus(KvChecksum other) {
        return new KvChecksum(count - other.count, bytes - other.bytes, crcSum - other.crcSum);
    }

    /** Sixteen hex digits of the sum of hashes: what people compare. */
    public String digest() {
        return String.format("%016x", crcSum);
    }

    /** A sum that grows in place. Not safe for use by several threads. */
    public static final class Accumulator {
        /** The stored CRC that stands for two: itself, and the 0 that is never stored. */
        private static final int AMBIGUOUS = 1;

        private final IndexDigest digest;
        private final CRC32 crc = new CRC32();
        private long count;
        private long bytes;
        private long crcSum;

        /** An empty sum of KVs of one index. */
        public Accumulator(IndexDigest digest) {
            this.digest = digest;
        }

        /** Adds one KV, trusting the CRC that its value begins with; the value is right behind the key. */
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            add(buffer, keyOffset, keyLength, buffer, keyOffset + keyLength, valueLength);
        }

        /** Adds one KV, trusting the CRC that its value begins with. */
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
         * Adds one KV of which the value itself is not at hand, unless it is needed.
         *
         * @param valueStart the CRC that the value begins with
         * @return whether it was added; if not, add key and value
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
         * Adds one KV if the CRC that its value begins with is that of its bytes; the value is right behind the key.
         *
         * @return whether it is
         */
        public boolean addIntact(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            // Lengths may be damaged as well.
            return keyLength >= 0
                    && valueLength <= buffer.length - keyOffset - keyLength
                    && addIntact(buffer, keyOffset, keyLength, buffer, keyOffset + keyLength, valueLength);
        }

        /** As {@link #addIntact(byte[], int, int, int)}, for a key and a value in arrays of their own. */
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
            count++;
            bytes += keyLength + valueLength;
            crcSum += digest.of(whole, key, keyOffset, keyLength, valueLength);
        }

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
