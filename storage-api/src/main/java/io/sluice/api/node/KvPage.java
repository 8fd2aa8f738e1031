package io.sluice.api.node;

import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The KVs of a table within a key span, as one node has them. The arrays are not copied: do not change them.
 *
 * <h2>Format, big-endian</h2>
 *
 * <pre>
 *   int32  length of end, then end
 *   int32  number of indexes, then for each int64 count, int64 bytes, int64 crcSum
 *   int32  number of KVs, then for each int32 key length, int32 value length (-1: deleted), key, value
 * </pre>
 *
 * @param end end of the span, exclusive; the page has all KVs up to there
 * @param sums checksum of the KVs of each index, in the table's order
 * @param keys keys, ascending; none in a page of checksums only
 * @param values values, as many as keys; null for a key that was deleted
 */
@SuppressWarnings("ArrayRecordComponent")
public record KvPage(byte[] end, List<KvChecksum> sums, List<byte[]> keys, List<byte @Nullable []> values) {
    private static final int SUM_BYTES = 3 * Long.BYTES;

    /** The bytes of keys and values. */
    public long bytes() {
        long bytes = 0;
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = values.get(i);
            bytes += keys.get(i).length + (value == null ? 0 : value.length);
        }
        return bytes;
    }

    /** The number of KVs of all indexes. */
    public long count() {
        return sums.stream().mapToLong(KvChecksum::count).sum();
    }

    public byte[] encoded() {
        int head = Integer.BYTES + end.length + Integer.BYTES + sums.size() * SUM_BYTES + Integer.BYTES;
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(head + bytes() + 2L * Integer.BYTES * keys.size()));
        out.putInt(end.length).put(end).putInt(sums.size());
        for (KvChecksum sum : sums) {
            out.putLong(sum.count()).putLong(sum.bytes()).putLong(sum.crcSum());
        }
        out.putInt(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = values.get(i);
            out.putInt(keys.get(i).length).putInt(value == null ? -1 : value.length);
            out.put(keys.get(i));
            if (value != null) {
                out.put(value);
            }
        }
        return out.array();
    }

    /**
     * Reads a page from bytes.
     *
     * @throws BadInputException if they are malformed
     */
    public static KvPage decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        byte[] end = array(in, length(in, 1));
        List<KvChecksum> sums = new ArrayList<>();
        for (int left = length(in, SUM_BYTES); left > 0; left--) {
            sums.add(new KvChecksum(in.getLong(), in.getLong(), in.getLong()));
        }
        List<byte[]> keys = new ArrayList<>();
        List<byte @Nullable []> values = new ArrayList<>();
        for (int left = length(in, 2 * Integer.BYTES); left > 0; left--) {
            int key = length(in, 1);
            int value = in.remaining() < Integer.BYTES ? Integer.MAX_VALUE : in.getInt();
            if (value < -1 || (long) key + value > in.remaining()) {
                throw malformed();
            }
            keys.add(array(in, key));
            values.add(value < 0 ? null : array(in, value));
        }
        if (in.hasRemaining()) {
            throw malformed();
        }
        return new KvPage(end, sums, keys, values);
    }

    /** Reads the number of things that follow, each of at least some bytes. */
    private static int length(ByteBuffer in, int each) {
        int count = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (count < 0 || (long) count * each > in.remaining()) {
            throw malformed();
        }
        return count;
    }

    private static byte[] array(ByteBuffer in, int length) {
        byte[] array = new byte[length];
        in.get(array);
        return array;
    }

    private static BadInputException malformed() {
        return new BadInputException("the body is no page of KVs: it was cut off, or is of another version");
    }
}
