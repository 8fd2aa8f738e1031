package io.sluice.importer.sst.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The 64-bit hash of a key that RocksDB's Bloom filters are built on: a preview release of XXH3, frozen with the filter
 * format, with seed 0. It differs from the released XXH3. Source: {@code util/xxph3.h}.
 */
final class KeyHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long PRIME32_1 = 0x9E3779B1L;
    private static final long PRIME32_2 = 0x85EBCA77L;
    private static final long PRIME32_3 = 0xC2B2AE3DL;
    private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME64_3 = 0x165667B19E3779F9L;
    private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME64_5 = 0x27D4EB2F165667C5L;

    private static final int STRIPE_BYTES = 64;
    /** Each stripe of a round uses the secret from eight bytes further on. */
    private static final int SECRET_STEP = 8;

    /** The longest key that is not hashed by stripes. */
    private static final int MEDIUM_BYTES = 240;

    /** The secret may be this short; where a medium key ends is counted from here. */
    private static final int SHORTEST_SECRET_BYTES = 136;

    /** Arbitrary bytes; part of the format. */
    private static final byte[] SECRET = HexFormat.of()
            .parseHex("b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                    + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                    + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                    + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                    + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                    + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    /** The place in the secret at which a round ends, and at which the secret of its scramble begins. */
    private static final int ROUND_SECRET = SECRET.length - STRIPE_BYTES;

    private static final int LAST_STRIPE_SECRET = ROUND_SECRET - 7;

    private KeyHash() {}

    static long of(byte[] bytes, int offset, int length) {
        if (length <= 16) {
            return ofShort(bytes, offset, length);
        }
        if (length <= MEDIUM_BYTES) {
            return ofMedium(bytes, offset, length);
        }
        return ofLong(bytes, offset, length);
    }

    private static long ofShort(byte[] bytes, int offset, int length) {
        if (length > 8) {
            long low = longAt(bytes, offset) ^ longAt(SECRET, 0);
            long high = longAt(bytes, offset + length - 8) ^ longAt(SECRET, 8);
            return avalanche(length + low + high + foldedProduct(low, high));
        }
        if (length >= 4) {
            long both = unsignedIntAt(bytes, offset) | unsignedIntAt(bytes, offset + length - 4) << 32;
            long keyed = both ^ longAt(SECRET, 0);
            long mixed = length + (keyed ^ keyed >>> 51) * PRIME32_1;
            return avalanche((mixed ^ mixed >>> 47) * PRIME64_2);
        }
        if (length > 0) {
            long combined = (bytes[offset] & 0xFF)
                    | (bytes[offset + (length >> 1)] & 0xFF) << 8
                    | (bytes[offset + length - 1] & 0xFF) << 16
                    | (long) length << 24;
            return avalanche((combined ^ unsignedIntAt(SECRET, 0)) * PRIME64_1);
        }
        return foldedProduct(longAt(SECRET, 0), PRIME64_2);
    }

    private static long ofMedium(byte[] bytes, int offset, int length) {
        long sum = length * PRIME64_1;
        if (length <= 128) {
            // From both ends inwards: 32 bytes for each begun 32 bytes of the key.
            for (int i = (length - 1) / 32; i >= 0; i--) {
                sum += mixed(bytes, offset + 16 * i, 32 * i);
                sum += mixed(bytes, offset + length - 16 * (i + 1), 32 * i + 16);
            }
            return avalanche(sum);
        }
        for (int i = 0; i < 8; i++) {
            sum += mixed(bytes, offset + 16 * i, 16 * i);
        }
        sum = avalanche(sum);
        for (int i = 8; i < length / 16; i++) {
            sum += mixed(bytes, offset + 16 * i, 16 * (i - 8) + 3);
        }
        sum += mixed(bytes, offset + length - 16, SHORTEST_SECRET_BYTES - 17);
        return avalanche(sum);
    }

    /**
     * Hashes by eight lanes, each over every eighth word of the key. The lanes are locals: C2 of JDK 17 could lose what
     * was stored in an array of them, and reads by key miss a key with a wrong hash. See decision 231.
     */
    private static long ofLong(byte[] bytes, int offset, int length) {
        long lane0 = PRIME32_3;
        long lane1 = PRIME64_1;
        long lane2 = PRIME64_2;
        long lane3 = PRIME64_3;
        long lane4 = PRIME64_4;
        long lane5 = PRIME32_2;
        long lane6 = PRIME64_5;
        long lane7 = PRIME32_1;
        int end = offset + length;
        int secret = 0;
        for (int at = offset; at < end; at += STRIPE_BYTES) {
            if (at + STRIPE_BYTES > end) {
                // The last stripe ends where the key ends, and so overlaps the one before it.
                at = end - STRIPE_BYTES;
                secret = LAST_STRIPE_SECRET;
            }
            lane0 += product(bytes, at, secret);
            lane1 += product(bytes, at + 8, secret + 8);
            lane2 += product(bytes, at + 16, secret + 16);
            lane3 += product(bytes, at + 24, secret + 24);
            lane4 += product(bytes, at + 32, secret + 32);
            lane5 += product(bytes, at + 40, secret + 40);
            lane6 += product(bytes, at + 48, secret + 48);
            lane7 += product(bytes, at + 56, secret + 56);
            secret += SECRET_STEP;
            if (secret == ROUND_SECRET) {
                secret = 0;
                lane0 = scrambled(lane0, 0);
                lane1 = scrambled(lane1, 8);
                lane2 = scrambled(lane2, 16);
                lane3 = scrambled(lane3, 24);
                lane4 = scrambled(lane4, 32);
                lane5 = scrambled(lane5, 40);
                lane6 = scrambled(lane6, 48);
                lane7 = scrambled(lane7, 56);
            }
        }
        return avalanche(length * PRIME64_1
                + foldedProduct(lane0 ^ longAt(SECRET, 11), lane1 ^ longAt(SECRET, 19))
                + foldedProduct(lane2 ^ longAt(SECRET, 27), lane3 ^ longAt(SECRET, 35))
                + foldedProduct(lane4 ^ longAt(SECRET, 43), lane5 ^ longAt(SECRET, 51))
                + foldedProduct(lane6 ^ longAt(SECRET, 59), lane7 ^ longAt(SECRET, 67)));
    }

    /** The amount that eight bytes of a stripe add to their lane. */
    private static long product(byte[] bytes, int offset, int secretOffset) {
        long data = longAt(bytes, offset);
        long keyed = data ^ longAt(SECRET, secretOffset);
        return data + (keyed & 0xFFFFFFFFL) * (keyed >>> 32);
    }

    /** A lane as the next round begins with it. */
    private static long scrambled(long lane, int secretOffset) {
        return (lane ^ lane >>> 47 ^ longAt(SECRET, ROUND_SECRET + secretOffset)) * PRIME32_1;
    }

    private static long mixed(byte[] bytes, int offset, int secretOffset) {
        return foldedProduct(
                longAt(bytes, offset) ^ longAt(SECRET, secretOffset),
                longAt(bytes, offset + 8) ^ longAt(SECRET, secretOffset + 8));
    }

    /** The two halves of the unsigned 128-bit product, by exclusive or. */
    private static long foldedProduct(long a, long b) {
        long high = Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
        return a * b ^ high;
    }

    private static long avalanche(long hash) {
        long mixed = (hash ^ hash >>> 37) * PRIME64_3;
        return mixed ^ mixed >>> 32;
    }

    private static long longAt(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    private static long unsignedIntAt(byte[] bytes, int offset) {
        return (int) INT.get(bytes, offset) & 0xFFFFFFFFL;
    }
}
