package io.sluice.node.shuffle;

import io.sluice.api.node.ShuffleBatch;
import io.sluice.engine.store.CommitLog;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;

/**
 * Encodes batches in RocksDB's write batch format, so that a batch costs one native call instead of one per KV. The
 * format, by RocksDB's write_batch.cc: a sequence number (8 bytes, filled in by the database); the number of records (4
 * bytes, little-endian); then per record a type (1: put into the default column family), key and value, each after its
 * length as a varint. The durable mark of {@link io.sluice.engine.store.CommitLog} precedes the records; it is logged
 * and not counted.
 *
 * <p>Every key gets a prefix of two bytes: the position of its index in the table, from 1. So the KVs of an index are
 * adjacent, even if its keys interleave with those of others. The first record marks the batch as taken; its key begins
 * with two zero bytes.
 */
final class BatchFormat {
    private static final int HEADER_BYTES = 12;
    private static final int COUNT_AT = 8;
    private static final byte PUT = 1;
    private static final int LENGTHS_BYTES = 8;
    private static final int LOG_MARK_BYTES = CommitLog.ENTRY_BYTES;
    /** A value begins with its CRC. */
    private static final int LEAST_VALUE_BYTES = 4;

    /** Bytes in front of every key. */
    static final int PREFIX_BYTES = Short.BYTES;

    private static final short MARK = 0;
    private static final int MARK_BYTES = PREFIX_BYTES + 2 * Long.BYTES;
    private static final int SUM_BYTES = Integer.BYTES + 3 * Long.BYTES;

    /** The span of the records that mark taken batches. */
    static final KeySpan MARKS = new KeySpan(new byte[] {0, 0}, new byte[] {0, 1});

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private BatchFormat() {}

    /**
     * Encodes a batch.
     *
     * @param ordinal position of its index in the table, from 0
     * @param keys the span that must contain its keys
     * @param digest digest of its index
     * @param durableMark durable mark of the log
     * @throws OperationFailedException when the batch does not match its description
     */
    static byte[] encode(ShuffleBatch batch, int ordinal, KeySpan keys, IndexDigest digest, long durableMark) {
        long checked = checkedBytes(batch, keys, digest);
        int length = HEADER_BYTES + LOG_MARK_BYTES + 1 + 1 + MARK_BYTES + 1 + SUM_BYTES + (int) checked;
        byte[] target = new byte[length];
        ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN).putInt(COUNT_AT, (int) (checked >>> Integer.SIZE) + 1);
        CommitLog.putMark(durableMark, ByteBuffer.wrap(target).position(HEADER_BYTES));
        int to = mark(batch, target);
        byte[] kvs = batch.kvs();
        int from = 0;
        while (from < batch.lengthBytes()) {
            int keyLength = (int) INT.get(kvs, from);
            int valueLength = (int) INT.get(kvs, from + Integer.BYTES);
            from += LENGTHS_BYTES;
            target[to++] = PUT;
            to = putVarint(target, to, PREFIX_BYTES + keyLength);
            target[to++] = (byte) ((ordinal + 1) >>> Byte.SIZE);
            target[to++] = (byte) (ordinal + 1);
            System.arraycopy(kvs, from, target, to, keyLength);
            to = putVarint(target, to + keyLength, valueLength);
            System.arraycopy(kvs, from + keyLength, target, to, valueLength);
            to += valueLength;
            from += keyLength + valueLength;
        }
        return target;
    }

    /** Checks all KVs, and returns {@code number << 32 | encoded length}. */
    private static long checkedBytes(ShuffleBatch batch, KeySpan keys, IndexDigest digest) {
        byte[] kvs = batch.kvs();
        int end = batch.lengthBytes();
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digest);
        int bytes = 0;
        long count = 0;
        int at = 0;
        while (at < end) {
            count++;
            if (end - at < LENGTHS_BYTES) {
                throw refused(batch, "it ends within a KV");
            }
            int keyLength = (int) INT.get(kvs, at);
            int valueLength = (int) INT.get(kvs, at + Integer.BYTES);
            at += LENGTHS_BYTES;
            boolean fits = keyLength > 0
                    && valueLength >= LEAST_VALUE_BYTES
                    && keyLength <= end - at
                    && valueLength <= end - at - keyLength;
            if (!fits) {
                throw refused(batch, "a KV of it has impossible lengths, " + keyLength + " and " + valueLength);
            }
            if (Arrays.compareUnsigned(kvs, at, at + keyLength, keys.start(), 0, keys.start().length) < 0
                    || Arrays.compareUnsigned(kvs, at, at + keyLength, keys.end(), 0, keys.end().length) >= 0) {
                throw refused(batch, "it holds a key that is none of index " + batch.indexId());
            }
            if (!sum.addIntact(kvs, at, keyLength, valueLength)) {
                throw refused(batch, digest.damage(kvs, at, keyLength));
            }
            int key = PREFIX_BYTES + keyLength;
            bytes += 1 + varintBytes(key) + key + varintBytes(valueLength) + valueLength;
            at += keyLength + valueLength;
        }
        if (!sum.sum().equals(batch.sum())) {
            throw refused(batch, "its KVs add up to " + sum.sum() + " and should to " + batch.sum());
        }
        return count << Integer.SIZE | bytes;
    }

    private static OperationFailedException refused(ShuffleBatch batch, String why) {
        return new OperationFailedException("batch " + batch.id() + " was refused: " + why
                + "; it was damaged in transfer, or is not of this import");
    }

    private static int mark(ShuffleBatch batch, byte[] target) {
        ByteBuffer out = ByteBuffer.wrap(target).position(HEADER_BYTES + LOG_MARK_BYTES);
        out.put(PUT)
                .put((byte) MARK_BYTES)
                .putShort(MARK)
                .putLong(batch.id().getMostSignificantBits())
                .putLong(batch.id().getLeastSignificantBits());
        out.put((byte) SUM_BYTES)
                .putInt(batch.indexId())
                .putLong(batch.sum().count())
                .putLong(batch.sum().bytes())
                .putLong(batch.sum().crcSum());
        return out.position();
    }

    /** Offers the first key of a checked batch, which must not be empty. */
    static void offerFirstKey(ShuffleBatch batch, KeySamples samples) {
        samples.offer(batch.kvs(), LENGTHS_BYTES, (int) INT.get(batch.kvs(), 0));
    }

    /** The buffered form of an index's key, or of a bound of its keys. */
    static byte[] buffered(int ordinal, byte[] key) {
        return ByteBuffer.allocate(PREFIX_BYTES + key.length)
                .putShort((short) (ordinal + 1))
                .put(key)
                .array();
    }

    /** The batch id of a record in {@link #MARKS}. */
    static UUID batchId(byte[] key) {
        ByteBuffer in = ByteBuffer.wrap(key).position(PREFIX_BYTES);
        return new UUID(in.getLong(), in.getLong());
    }

    /** The checksum of that batch's KVs. */
    static KvChecksum batchSum(byte[] value) {
        ByteBuffer in = ByteBuffer.wrap(value).position(Integer.BYTES);
        return new KvChecksum(in.getLong(), in.getLong(), in.getLong());
    }

    private static int varintBytes(int value) {
        return value == 0 ? 1 : (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7;
    }

    private static int putVarint(byte[] target, int at, int value) {
        int to = at;
        int rest = value;
        while (rest >= 0x80) {
            target[to++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[to++] = (byte) rest;
        return to;
    }
}
