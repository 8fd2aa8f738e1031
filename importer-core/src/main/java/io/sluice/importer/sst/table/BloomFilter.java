package io.sluice.importer.sst.table;

import java.util.ArrayList;
import java.util.List;

/**
 * RocksDB's Bloom filter for a whole table: all probes of a key fall into one cache line of 64 bytes.
 *
 * <p>At {@value #BITS_PER_KEY} bits a key, {@value #PROBES} probes are best; about 1% of misses pass. Hashes are kept
 * until the number of keys, and with it the size, is known: 8 bytes a key. Source: {@code FastLocalBloomImpl} in
 * {@code util/bloom_impl.h} and {@code FastLocalBloomBitsBuilder} in {@code filter_policy.cc}.
 */
final class BloomFilter {
    private static final int BITS_PER_KEY = TableWriter.BLOOM_BITS_PER_KEY;
    private static final int PROBES = 6;
    private static final int LINE_BYTES = 64;
    /** Bits of a hash that choose one of the 512 bits of a line. */
    private static final int BIT_SHIFT = 32 - 9;

    private static final int GOLDEN_RATIO = 0x9e3779b9;
    /** Marker of this family of filters, of this member, its probes, and two bytes that are not used. */
    private static final int METADATA_BYTES = 5;

    private static final byte FAMILY = -1;

    /** 8 KiB each: hashes are not copied as their number grows, so they never take more than 8 bytes a key. */
    private static final int CHUNK_HASHES = 1 << 10;

    private final List<long[]> hashes = new ArrayList<>();
    private long[] chunk = new long[0];
    private int count;

    void add(byte[] bytes, int keyOffset, int keyLength) {
        int place = count % CHUNK_HASHES;
        if (place == 0) {
            chunk = new long[CHUNK_HASHES];
            hashes.add(chunk);
        }
        chunk[place] = KeyHash.of(bytes, keyOffset, keyLength);
        count++;
    }

    int count() {
        return count;
    }

    /** The filter's block; empty when there were no keys. */
    byte[] finish() {
        if (count == 0) {
            return new byte[0];
        }
        long targetBytes = (count * (long) BITS_PER_KEY + 7) / 8;
        int bytes = Math.toIntExact((targetBytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
        byte[] filter = new byte[bytes + METADATA_BYTES];
        long lines = bytes / LINE_BYTES;
        for (int i = 0; i < count; i++) {
            long hash = hashes.get(i / CHUNK_HASHES)[i % CHUNK_HASHES];
            int line = (int) (((hash & 0xFFFFFFFFL) * lines) >>> 32) * LINE_BYTES;
            int probe = (int) (hash >>> 32);
            for (int n = 0; n < PROBES; n++) {
                int bit = probe >>> BIT_SHIFT;
                filter[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
                probe *= GOLDEN_RATIO;
            }
        }
        filter[bytes] = FAMILY;
        filter[bytes + 2] = PROBES;
        return filter;
    }
}
