package io.sluice.model.kv;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Hashes a KV of an index for the index's checksum. The hash excludes the table and index ids in the key, so that equal
 * rows have equal checksums under any ids.
 *
 * <p>The hash is the CRC-32 of the rest of the key and of the value after its own CRC, {@link #mix mixed} to 64 bits.
 * It is computed from the CRC that the value carries, which covers the ids as well, and not from the bytes. CRCs are
 * linear. For a key of {@code head + rest}, where the ids are in the head, followed by {@code n} bytes of rest and
 * value,
 *
 * <pre>crc(head + n bytes) = shift(crc(head), n) ^ crc(n bytes)</pre>
 *
 * <p>where shifting by {@code n} bytes is a multiplication by x^(8n) modulo the polynomial (zlib, crc32_combine). The
 * head of a non-interleaved index is its prefix, which all keys share; its shifts are cached in a table.
 *
 * <p>Thread-safe; immutable except for the cached table, which grows.
 */
public final class IndexDigest {
    /** The CRC-32 polynomial, reflected: the coefficient of x^31 is the lowest bit. */
    private static final int POLYNOMIAL = 0xedb88320;
    /** x^0, reflected. */
    private static final int ONE = 1 << 31;

    private static final int SHOWN_KEY_BYTES = 256;
    private static final int FIRST_SHIFTS = 64;
    /** 256 KiB for each index; a longer shift takes less than a microsecond to compute. */
    private static final int MOST_SHIFTS = 1 << 16;

    private static final int[] BYTE_SHIFTS = byteShifts();
    private static final int[] SQUARES = squares();

    private final String table;
    private final Index index;
    private final KeyPlan key;
    private final boolean interleaved;
    private final boolean severalFamilies;
    private final int headBytes;
    /** CRC of the head that all keys share; 1 for an interleaved index, whose keys have several heads. */
    private final int first;
    /** {@link #first} shifted by as many bytes as the array position. */
    private volatile int[] shifts;

    private IndexDigest(Table table, Index index, KeyPlan key) {
        this.table = table.name();
        this.index = index;
        this.key = key;
        interleaved = !index.ancestors().isEmpty();
        severalFamilies = table.def().families() > 1;
        byte[] head = key.before(0);
        headBytes = head.length;
        first = interleaved ? ONE : ~updated(-1, head, 0, head.length);
        shifts = shifted(new int[] {first}, FIRST_SHIFTS);
    }

    /** Creates the digest of the index at a position of a table. */
    public static IndexDigest of(Table table, int ordinal) {
        return ofAll(table).get(ordinal);
    }

    /** Creates one digest per index, in the table's order. */
    public static List<IndexDigest> ofAll(Table table) {
        List<IndexLayout> layouts = IndexLayout.ofAll(table);
        List<IndexDigest> all = new ArrayList<>();
        for (int i = 0; i < layouts.size(); i++) {
            all.add(new IndexDigest(table, table.indexes().get(i), layouts.get(i).indexed));
        }
        return List.copyOf(all);
    }

    /** Whether an entry of the index may have several KVs, one for each column family. */
    public boolean severalFamilies() {
        return severalFamilies;
    }

    /** Number of entries that a KV counts as: 1, or 0 if it is of a column family other than 0. */
    int entries(byte[] buffer, int keyOffset, int keyLength) {
        return severalFamilies && !EntryKeys.first(buffer, keyOffset, keyLength) ? 0 : 1;
    }

    public int indexId() {
        return index.def().id();
    }

    /** Formats the message for a KV that does not match its checksum. */
    public String damage(byte[] buffer, int keyOffset, int keyLength) {
        int end = Math.min(keyOffset + Math.min(keyLength, SHOWN_KEY_BYTES), buffer.length);
        String hex = HexFormat.of().formatHex(buffer, keyOffset, Math.max(keyOffset, end));
        return "table " + table + ", index " + index.def().name() + ": the KV with key " + hex
                + (keyLength > SHOWN_KEY_BYTES ? "..." : "") + " does not agree with its checksum";
    }

    /**
     * Creates the failure for a KV that differs from the encoded one.
     *
     * @param where where the change was found, as in "it changed between encoding and <i>the SST</i>"
     * @return the failure, caused by a {@link CorruptKvException}
     */
    public OperationFailedException damaged(byte[] buffer, int keyOffset, int keyLength, String where) {
        return new OperationFailedException(
                "verification failed\n" + damage(buffer, keyOffset, keyLength)
                        + ": it changed between encoding and " + where
                        + "\n"
                        + "Nothing of the import was published. This is a defect of Sluice or of the machine: test its"
                        + " memory and disks, and import again.",
                new CorruptKvException("its checksum is not that of its bytes", new byte[0]));
    }

    /**
     * Computes the mixed hash of a KV.
     *
     * @param crc CRC of the whole key and value, as {@link KvCrc#crc} computes it
     * @param buffer buffer with the key
     */
    long of(int crc, byte[] buffer, int keyOffset, int keyLength, int valueLength) {
        int bodyLength = valueLength - Integer.BYTES;
        if (interleaved) {
            return mix(crc ^ interleavedShift(buffer, keyOffset, keyLength, bodyLength));
        }
        int rest = keyLength - headBytes + bodyLength;
        int[] known = shifts;
        return mix(crc ^ (rest >= 0 && rest < known.length ? known[rest] : shift(rest)));
    }

    private int shift(int bytes) {
        if (bytes < 0) {
            // Not a KV of this index, which the decoder reports; there are no ids to exclude.
            return 0;
        }
        if (bytes >= MOST_SHIFTS) {
            return multiply(power(bytes), first);
        }
        int[] known = shifts;
        if (bytes >= known.length) {
            // Two threads may race here; both write the same values.
            known = shifted(known, Math.min(MOST_SHIFTS, Integer.highestOneBit(bytes) << 1));
            shifts = known;
        }
        return known[bytes];
    }

    /** Excludes the ids before the columns of each level, and keeps the columns and sentinels between them. */
    private int interleavedShift(byte[] buffer, int keyOffset, int keyLength, int bodyLength) {
        ByteCursor cursor = ByteCursor.ofKey(buffer, keyOffset, keyLength);
        int withoutIds;
        try {
            withoutIds = key.crcWithoutIds(cursor);
        } catch (CorruptKvException e) {
            return 0;
        }
        int end = cursor.position();
        int difference = updated(-1, buffer, keyOffset, end) ^ withoutIds;
        return multiply(shift(keyOffset + keyLength - end + bodyLength), difference);
    }

    /** Updates a CRC state with a few bytes, for which the JDK's CRC32 costs more. */
    static int updated(int crc, byte[] bytes, int from, int to) {
        int state = crc;
        for (int i = from; i < to; i++) {
            state = state >>> 8 ^ BYTE_SHIFTS[(state ^ bytes[i]) & 0xff];
        }
        return state;
    }

    private static int[] shifted(int[] known, int length) {
        int[] more = Arrays.copyOf(known, length);
        for (int i = known.length; i < length; i++) {
            more[i] = more[i - 1] >>> 8 ^ BYTE_SHIFTS[more[i - 1] & 0xff];
        }
        return more;
    }

    /** The usual CRC-32 table: per byte value, its contribution when it is shifted out. */
    private static int[] byteShifts() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = crc >>> 1 ^ (crc & 1) * POLYNOMIAL;
            }
            table[i] = crc;
        }
        return table;
    }

    /** x^8, x^16, x^32 and so on: shifts by one byte, two, four. */
    private static int[] squares() {
        int[] squares = new int[Integer.SIZE];
        squares[0] = ONE >>> 8;
        for (int i = 1; i < squares.length; i++) {
            squares[i] = multiply(squares[i - 1], squares[i - 1]);
        }
        return squares;
    }

    /** x^(8 bytes) modulo the polynomial. */
    private static int power(int bytes) {
        int power = ONE;
        for (int rest = bytes, i = 0; rest > 0; rest >>>= 1, i++) {
            if ((rest & 1) != 0) {
                power = multiply(power, SQUARES[i]);
            }
        }
        return power;
    }

    /** The product of two polynomials modulo the CRC's, all reflected. */
    private static int multiply(int left, int right) {
        int product = 0;
        int shifted = right;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            product ^= (left << bit >> 31) & shifted;
            shifted = shifted >>> 1 ^ (shifted & 1) * POLYNOMIAL;
        }
        return product;
    }

    /**
     * Spreads a CRC over 64 bits. In a plain sum of CRCs, which are linear, differences in two KVs could cancel. The
     * finalizer of splitmix64 (Steele, Lea, Flood 2014).
     */
    private static long mix(int crc) {
        long z = (crc & 0xffff_ffffL) + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
