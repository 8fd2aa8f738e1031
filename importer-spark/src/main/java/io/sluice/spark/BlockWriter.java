package io.sluice.spark;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Collects KVs in a buffer per index and cuts the KVs of each full buffer, sorted, into blocks, which are the records
 * of the shuffle. For one task.
 *
 * <p>The key of a block is its first key. Its value is its KVs in the order of their keys, as entries of a
 * {@link SortBuffer}. No block has keys of two ranges.
 */
final class BlockWriter {
    /**
     * Bytes in the buffers of a task. The blocks of a full buffer, and the sorter's 20 bytes per KV, are beside them.
     */
    private static final int BUFFER_BYTES = 16 << 20;

    /** Bytes in the buffers before the first is full: most tasks of small partitions need no more. */
    private static final int FIRST_BUFFER_BYTES = 1 << 20;

    /** A merge holds one block of each buffer that was cut; so large blocks cost memory, small ones time. */
    private static final int BLOCK_BYTES = 64 << 10;

    /** Bytes of the shortest KVs, about: with shorter ones a buffer is full at that number of entries. */
    private static final int SHORTEST_KV = 32;

    private final KeyRanges ranges;
    private final Sorter sorter = new Sorter();
    private final List<Buffer> buffers = new ArrayList<>();
    private final ArrayDeque<Tuple2<byte[], byte[]>> blocks = new ArrayDeque<>();
    private final Block block = new Block();

    BlockWriter(Table table, KeyRanges ranges) {
        this.ranges = ranges;
        for (int i = 0; i < table.indexes().size(); i++) {
            buffers.add(new Buffer());
        }
    }

    /** The buffers, one for each index. */
    List<? extends KvTarget> targets() {
        return buffers;
    }

    /** Whether no block waits for {@link #next}. */
    boolean isEmpty() {
        return blocks.isEmpty();
    }

    /** Cuts the KVs of all buffers into blocks. */
    void flush() {
        buffers.forEach(Buffer::cut);
    }

    /** Removes the next block. */
    Tuple2<byte[], byte[]> next() {
        return blocks.remove();
    }

    private SortBuffer buffer(int bytesOfAll, int indexes) {
        int bytes = bytesOfAll / indexes;
        return new SortBuffer(bytes, bytes / SHORTEST_KV, sorter);
    }

    /** The KVs of one index that are not in blocks yet. */
    private final class Buffer implements KvTarget {
        private @Nullable SortBuffer kvs;
        private boolean grown;

        @Override
        public byte[] room(int maxBytes) {
            return open().room(maxBytes);
        }

        @Override
        public int position() {
            return open().position();
        }

        @Override
        public void added(long lengths) {
            SortBuffer open = open();
            open.added(lengths);
            if (open.isFull()) {
                cut();
                if (!grown) {
                    kvs = buffer(BUFFER_BYTES, buffers.size());
                    grown = true;
                }
            }
        }

        private SortBuffer open() {
            SortBuffer open = kvs;
            if (open == null) {
                open = buffer(FIRST_BUFFER_BYTES, buffers.size());
                kvs = open;
            }
            return open;
        }

        void cut() {
            SortBuffer open = kvs;
            if (open == null) {
                return;
            }
            open.sort();
            try {
                open.drainTo(block);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            block.finish();
            open.clear();
        }
    }

    /** The block that grows. */
    private final class Block implements KvSink {
        private byte[] entries = new byte[BLOCK_BYTES];
        private int used;
        private byte[] firstKey = new byte[0];
        private byte @Nullable [] end;

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            int bytes = SortBuffer.entryBytes(keyLength, valueLength);
            int keyEnd = keyOffset + keyLength;
            if (used > 0
                    && (used + bytes > BLOCK_BYTES
                            || (end != null
                                    && Arrays.compareUnsigned(buffer, keyOffset, keyEnd, end, 0, end.length) >= 0))) {
                finish();
            }
            if (used == 0) {
                firstKey = Arrays.copyOfRange(buffer, keyOffset, keyEnd);
                end = ranges.end(ranges.getPartition(firstKey));
            }
            if (bytes > entries.length - used) {
                entries = new byte[bytes];
            }
            SortBuffer.putEntry(entries, used, buffer, keyOffset, keyLength, valueLength);
            used += bytes;
        }

        void finish() {
            if (used > 0) {
                blocks.add(new Tuple2<>(firstKey, Arrays.copyOf(entries, used)));
                used = 0;
                entries = entries.length > BLOCK_BYTES ? new byte[BLOCK_BYTES] : entries;
            }
        }
    }
}
