package io.sluice.importer.sst.table;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Writes ascending KVs as one table to a channel: a file, a request's body, or memory. It writes every byte once and
 * reads nothing back. For one thread; it does not close the channel.
 *
 * <p>It holds one data block, an output buffer of {@value #OUT_BYTES} bytes, the index (some 30 bytes per 16 KiB), and
 * 8 bytes per key until it builds the filter.
 */
public final class TableWriter {
    /** Large enough that the index stays small, small enough that a point read does not pay for much else. */
    public static final int BLOCK_BYTES = 16 << 10;
    /** About 1% false positives; cuts a miss to a fifth, and reads through many levels to a third. */
    public static final int BLOOM_BITS_PER_KEY = 10;
    /** Version of the block-based table format; see the package. */
    public static final int FORMAT_VERSION = 5;

    /** A block ends early when it is at least this full and the next entry would not fit: a tenth less. */
    private static final int ALMOST_FULL_BYTES = (BLOCK_BYTES * 90 + 99) / 100;

    private static final int RESTART_INTERVAL = 16;
    private static final int TRAILER_BYTES = 5;
    private static final int OUT_BYTES = 64 << 10;

    /** Sequence number 0, shifted by a byte, and the type of a put, 1. */
    private static final long INTERNAL_KEY_TRAILER = 1;

    /**
     * The checksum of blocks. RocksDB's library for Java computes CRC32C without the processor's instruction, at a
     * nanosecond per byte, whenever it verifies an SST or reads a block; XXH3 takes a tenth of that.
     */
    private static final int CHECKSUM_XXH3 = 4;

    private static final Hasher64 BLOCK_CHECKSUM = Hashing.xxh3_64();
    private static final long MAGIC_NUMBER = 0x88e241b785f4cff7L;
    private static final int FOOTER_HANDLES_BYTES = 40;

    /** RocksDB's id of an unknown column family. */
    private static final int UNKNOWN_COLUMN_FAMILY = Integer.MAX_VALUE;

    private final WritableByteChannel channel;
    private final String sessionId;
    private final ByteBuffer out = ByteBuffer.allocate(OUT_BYTES);
    private final CRC32C fileChecksum = new CRC32C();
    private final byte[] trailer = new byte[TRAILER_BYTES];
    private long offset;

    private final Block data = new Block(RESTART_INTERVAL, 2 * BLOCK_BYTES);
    private final Block index = new Block(1, 4 << 10);
    private final BloomFilter filter = new BloomFilter();

    /** The internal key of the last entry: user key and trailer. */
    private byte[] key = new byte[1 << 7];

    private int keyLength;
    /** The last user key of the previous block. Its index entry waits for the first key of the next block. */
    private byte[] separator = new byte[1 << 7];

    private int separatorLength;
    private long blockOffset;
    private int blockBytes;
    private boolean indexEntryWaits;

    private long entries;
    private long dataBlocks;
    private long rawKeyBytes;
    private long rawValueBytes;

    /**
     * A writer of one table.
     *
     * @param channel blocking; the caller closes it
     * @param id unique per table, so that caches do not confuse blocks of different tables
     */
    public TableWriter(WritableByteChannel channel, UUID id) {
        this.channel = channel;
        sessionId = sessionId(id);
    }

    /** Twenty digits of base 36, as RocksDB's session ids are; 103 bits of the id. */
    private static String sessionId(UUID id) {
        BigInteger number = new BigInteger(id.toString().replace("-", ""), 16);
        String digits = number.toString(36).toUpperCase(Locale.ROOT);
        String padded = "0".repeat(20) + digits;
        return padded.substring(padded.length() - 20);
    }

    /**
     * Appends a KV, whose key must be greater than the last one. Copies it; the caller may reuse the array.
     *
     * @param source holds the key and, directly after it, the value
     * @throws IllegalArgumentException if the key is not greater than the last one
     * @throws IOException if the channel fails
     */
    public void add(byte[] source, int keyOffset, int userKeyLength, int valueLength) throws IOException {
        int internalLength = userKeyLength + Long.BYTES;
        int lastUserLength = keyLength - Long.BYTES;
        if (entries > 0
                && Arrays.compareUnsigned(key, 0, lastUserLength, source, keyOffset, keyOffset + userKeyLength) >= 0) {
            throw new IllegalArgumentException("keys of a table must ascend");
        }
        if (!data.isEmpty() && isFull(internalLength, valueLength)) {
            writeDataBlock();
        }
        if (indexEntryWaits) {
            shortenSeparator(source, keyOffset, userKeyLength);
            addIndexEntry();
        }
        if (internalLength > key.length) {
            key = new byte[2 * internalLength];
        }
        System.arraycopy(source, keyOffset, key, 0, userKeyLength);
        LittleEndian.putLong(key, userKeyLength, INTERNAL_KEY_TRAILER);
        keyLength = internalLength;
        data.add(key, internalLength, source, keyOffset + userKeyLength, valueLength);
        filter.add(source, keyOffset, userKeyLength);
        entries++;
        rawKeyBytes += internalLength;
        rawValueBytes += valueLength;
    }

    private boolean isFull(int internalLength, int valueLength) {
        int size = data.sizeBytes();
        return size >= BLOCK_BYTES
                || (size > ALMOST_FULL_BYTES && data.sizeBytesWith(internalLength, valueLength) > BLOCK_BYTES);
    }

    private void writeDataBlock() throws IOException {
        data.finish();
        blockOffset = offset;
        blockBytes = data.length();
        writeBlock(data.bytes(), data.length());
        data.clear();
        dataBlocks++;
        separatorLength = keyLength - Long.BYTES;
        if (separatorLength > separator.length) {
            separator = new byte[2 * separatorLength];
        }
        System.arraycopy(key, 0, separator, 0, separatorLength);
        indexEntryWaits = true;
    }

    private void addIndexEntry() {
        index.addHandle(separator, separatorLength, blockOffset, blockBytes);
        indexEntryWaits = false;
    }

    /**
     * Shortens the separator. It stays at or above the last key of its block, and below the first key of the next.
     *
     * <p>Increments the first byte that differs and cuts off the bytes after it. If that would reach the next key, it
     * increments the first later byte below 0xFF instead.
     */
    private void shortenSeparator(byte[] next, int nextOffset, int nextLength) {
        int at = Arrays.mismatch(separator, 0, separatorLength, next, nextOffset, nextOffset + nextLength);
        if (at < 0 || at >= Math.min(separatorLength, nextLength)) {
            return;
        }
        int own = separator[at] & 0xFF;
        int limit = next[nextOffset + at] & 0xFF;
        if (at < nextLength - 1 || own + 1 < limit) {
            separator[at]++;
            separatorLength = at + 1;
            return;
        }
        for (int i = at + 1; i < separatorLength; i++) {
            if (separator[i] != (byte) 0xFF) {
                separator[i]++;
                separatorLength = i + 1;
                return;
            }
        }
    }

    /**
     * Writes the last data block, the filter, the index, the properties and the footer. No KV may be added afterwards.
     *
     * @throws IllegalStateException if the table is empty: RocksDB accepts no empty tables
     * @throws IOException if the channel fails
     */
    public Table finish() throws IOException {
        if (entries == 0) {
            throw new IllegalStateException("a table has at least one entry");
        }
        writeDataBlock();
        addIndexEntry();
        final long dataBytes = offset;

        byte[] filterBlock = filter.finish();
        final long filterOffset = offset;
        writeBlock(filterBlock, filterBlock.length);

        index.finish();
        final long indexOffset = offset;
        writeBlock(index.bytes(), index.length());

        Block properties = properties(dataBytes, filterBlock.length, index.length());
        final long propertiesOffset = offset;
        writeBlock(properties.bytes(), properties.length());

        Block metaIndex = new Block(1, 1 << 8);
        metaIndex.add("fullfilter.rocksdb.BuiltinBloomFilter", handle(filterOffset, filterBlock.length));
        metaIndex.add("rocksdb.properties", handle(propertiesOffset, properties.length()));
        metaIndex.finish();
        final long metaIndexOffset = offset;
        writeBlock(metaIndex.bytes(), metaIndex.length());

        byte[] footer = new byte[1 + FOOTER_HANDLES_BYTES + Integer.BYTES + Long.BYTES];
        footer[0] = CHECKSUM_XXH3;
        int at = putHandle(footer, 1, metaIndexOffset, metaIndex.length());
        int unused = putHandle(footer, at, indexOffset, index.length());
        at = LittleEndian.putInt(footer, 1 + FOOTER_HANDLES_BYTES, FORMAT_VERSION);
        at = LittleEndian.putLong(footer, at, MAGIC_NUMBER);
        write(footer, at);
        flush();
        return new Table(offset, fileChecksum.getValue());
    }

    private static byte[] handle(long blockOffset, int blockBytes) {
        byte[] handle = new byte[2 * Varint.MAX_LONG_BYTES];
        return Arrays.copyOf(handle, putHandle(handle, 0, blockOffset, blockBytes));
    }

    private static int putHandle(byte[] bytes, int at, long blockOffset, int blockBytes) {
        return Varint.put(bytes, Varint.put(bytes, at, blockOffset), blockBytes);
    }

    /** The properties that RocksDB's {@code SstFileWriter} writes, with the same values for unknown ones. */
    private Block properties(long dataBytes, int filterBytes, int indexBytes) {
        return new Properties()
                .fixedInt("external_sst_file.version", 2)
                .fixedLong("external_sst_file.global_seqno", 0)
                .text("comparator", "leveldb.BytewiseComparator")
                .text("merge.operator", "nullptr")
                .text("prefix.extractor.name", "nullptr")
                .text("property.collectors", "[]")
                .text("compression", "NoCompression")
                .text("filter.policy", "bloomfilter")
                .text("creating.db.identity", "SST Writer")
                .text("creating.session.identity", sessionId)
                .fixedInt("block.based.table.index.type", 0)
                .text("block.based.table.whole.key.filtering", "1")
                .text("block.based.table.prefix.filtering", "0")
                .number("column.family.id", UNKNOWN_COLUMN_FAMILY)
                .number("original.file.number", 1)
                .number("creation.time", 0)
                .number("oldest.key.time", 0)
                .number("newest.key.time", 0)
                .number("format.version", FORMAT_VERSION)
                .number("fixed.key.length", 0)
                .number("data.block.restart.interval", RESTART_INTERVAL)
                .number("index.block.restart.interval", 1)
                .number("index.key.is.user.key", 1)
                .number("index.value.is.delta.encoded", 1)
                .number("key.smallest.seqno", 0)
                .number("key.largest.seqno", 0)
                .number("num.entries", entries)
                .number("num.filter_entries", filter.count())
                .number("num.data.blocks", dataBlocks)
                .number("num.data.blocks.compression.bypassed", dataBlocks)
                .number("num.uniform.blocks", 0)
                .number("num.range-deletions", 0)
                .number("deleted.keys", 0)
                .number("merge.operands", 0)
                .number("raw.key.size", rawKeyBytes)
                .number("raw.value.size", rawValueBytes)
                .number("data.size", dataBytes)
                .number("tail.start.offset", dataBytes)
                .number("filter.size", filterBytes)
                .number("index.size", (long) indexBytes + TRAILER_BYTES)
                .block();
    }

    private void writeBlock(byte[] block, int length) throws IOException {
        // Of the block only: RocksDB adds the compression type as a multiple of a prime, and here it is 0.
        LittleEndian.putInt(trailer, 1, (int) BLOCK_CHECKSUM.hashBytesToLong(block, 0, length));
        write(block, length);
        write(trailer, TRAILER_BYTES);
    }

    private void write(byte[] bytes, int length) throws IOException {
        int from = 0;
        while (from < length) {
            if (!out.hasRemaining()) {
                flush();
            }
            int part = Math.min(out.remaining(), length - from);
            out.put(bytes, from, part);
            from += part;
        }
        offset += length;
    }

    private void flush() throws IOException {
        out.flip();
        fileChecksum.update(out.duplicate());
        while (out.hasRemaining()) {
            int unused = channel.write(out);
        }
        out.clear();
    }
}
