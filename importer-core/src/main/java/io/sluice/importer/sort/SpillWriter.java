package io.sluice.importer.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes a run to a file: blocks of entries in the form they have in a {@link SortBuffer}, each after its length and
 * CRC-32C. The index in memory has the first key of every block, thinned out to at most {@value #MAX_INDEX_KEYS} keys.
 * Not synced: a spilled run does not outlive its import.
 */
final class SpillWriter implements KvSink, AutoCloseable {
    /** Bytes before a block: its length and CRC. */
    static final int BLOCK_HEADER_BYTES = 8;

    private static final int MAX_INDEX_KEYS = 512;

    private final Path path;
    private final FileChannel channel;
    private final int blockBytes;
    private final CRC32C crc = new CRC32C();
    private byte[] block;
    private int used = BLOCK_HEADER_BYTES;

    private final List<SpilledRun.IndexKey> index = new ArrayList<>();
    private int blocksPerIndexKey = 1;
    private long blocks;
    private long position;
    private byte[] largestKey = new byte[0];
    private int lastKeyOffset;
    private int lastKeyLength;

    SpillWriter(Path path, int blockBytes) throws IOException {
        this.path = path;
        this.blockBytes = blockBytes;
        block = new byte[blockBytes];
        channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
        int needed = SortBuffer.entryBytes(keyLength, valueLength);
        if (used + needed > block.length) {
            writeBlock();
            if (BLOCK_HEADER_BYTES + needed > block.length) {
                block = new byte[BLOCK_HEADER_BYTES + needed];
            }
        }
        if (used == BLOCK_HEADER_BYTES) {
            indexBlock(buffer, keyOffset, keyLength);
        }
        lastKeyOffset = SortBuffer.putEntry(block, used, buffer, keyOffset, keyLength, valueLength);
        lastKeyLength = keyLength;
        used += needed;
    }

    private void indexBlock(byte[] buffer, int keyOffset, int keyLength) {
        if (blocks % blocksPerIndexKey == 0) {
            if (index.size() == MAX_INDEX_KEYS) {
                thinOut();
            }
            if (blocks % blocksPerIndexKey == 0) {
                index.add(new SpilledRun.IndexKey(
                        Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength), position));
            }
        }
        blocks++;
    }

    private void thinOut() {
        for (int i = 0; i < MAX_INDEX_KEYS / 2; i++) {
            index.set(i, index.get(2 * i));
        }
        index.subList(MAX_INDEX_KEYS / 2, MAX_INDEX_KEYS).clear();
        blocksPerIndexKey *= 2;
    }

    private void writeBlock() throws IOException {
        if (used == BLOCK_HEADER_BYTES) {
            return;
        }
        largestKey = Arrays.copyOfRange(block, lastKeyOffset, lastKeyOffset + lastKeyLength);
        crc.reset();
        crc.update(block, BLOCK_HEADER_BYTES, used - BLOCK_HEADER_BYTES);
        ByteBuffer bytes = ByteBuffer.wrap(block, 0, used);
        bytes.putInt(0, used - BLOCK_HEADER_BYTES).putInt(4, (int) crc.getValue());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        position += used;
        used = BLOCK_HEADER_BYTES;
    }

    /** Ends the file and returns its run. */
    SpilledRun finish() throws IOException {
        writeBlock();
        channel.close();
        return new SpilledRun(path, blockBytes, position, index, largestKey);
    }

    /** Deletes the file of an unfinished run. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            Files.deleteIfExists(path);
        }
    }
}
