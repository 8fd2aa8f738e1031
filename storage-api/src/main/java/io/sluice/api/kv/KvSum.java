package io.sluice.api.kv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * What a set of KVs adds up to, whatever their order: two sets with the same sum are the same set but for a chance of
 * about 2^-32 per differing KV, because every KV brings the CRC-32 of its key and value along.
 *
 * @param count how many KVs
 * @param bytes length of all keys and values
 * @param crcSum sum, modulo 2^64, of every KV's stored CRC after {@link #mix mixing}
 */
public record KvSum(long count, long bytes, long crcSum) {
    public static final KvSum EMPTY = new KvSum(0, 0, 0);

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    public KvSum plus(KvSum other) {
        return new KvSum(count + other.count, bytes + other.bytes, crcSum + other.crcSum);
    }

    public KvSum minus(KvSum other) {
        return new KvSum(count - other.count, bytes - other.bytes, crcSum - other.crcSum);
    }

    /** The CRC-32 with which a value begins. */
    public static int storedCrc(byte[] buffer, int valueOffset) {
        return (int) INT.get(buffer, valueOffset);
    }

    /**
     * Spreads a CRC over 64 bits, so that differences in two KVs do not cancel as they would in a plain sum of CRCs
     * (which are linear). The finalizer of splitmix64 (Steele, Lea, Flood 2014).
     */
    static long mix(int crc) {
        long z = (crc & 0xffff_ffffL) + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Sixteen hex digits of the mixed sum: what people compare. */
    public String digest() {
        return String.format("%016x", crcSum);
    }

    /** A sum that grows in place. Not safe for use by several threads. */
    public static final class Accumulator {
        private long count;
        private long bytes;
        private long crcSum;

        /** Adds one KV by the CRC its value begins with and the length of key and value. */
        public void add(int crc, int keyAndValueBytes) {
            count++;
            bytes += keyAndValueBytes;
            crcSum += mix(crc);
        }

        public long count() {
            return count;
        }

        public KvSum sum() {
            return new KvSum(count, bytes, crcSum);
        }

        public void reset() {
            count = 0;
            bytes = 0;
            crcSum = 0;
        }
    }
}
