package io.sluice.spark;

import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.RunCursor;
import io.sluice.importer.sort.SortBuffer;
import java.io.IOException;
import java.util.Iterator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Merges blocks of a {@link BlockWriter} that come in the order of their first keys. It holds only the blocks whose
 * keys overlap: at most one, or some with the same key, of each buffer that was cut.
 */
final class BlockMerge {
    private final Iterator<Tuple2<byte[], byte[]>> blocks;
    private final Consumer<byte[]> reports;
    private final PriorityQueue<Block> open = new PriorityQueue<>(RunCursor::compareKeys);
    private @Nullable Block coming;

    /**
     * Creates a merge.
     *
     * @param blocks blocks in the order of their keys, and before them records with an empty key
     * @param reports takes the values of the records with an empty key
     */
    BlockMerge(Iterator<Tuple2<byte[], byte[]>> blocks, Consumer<byte[]> reports) {
        this.blocks = blocks;
        this.reports = reports;
    }

    /** Passes all KVs to a sink, in the order of their keys. Bytes that were passed stay as they are. */
    void into(KvSink sink) throws IOException {
        coming = nextBlock();
        Block block = smallest(null);
        while (block != null) {
            sink.add(block.buffer(), block.keyOffset(), block.keyLength(), block.valueLength());
            block = smallest(block.advance() ? block : null);
        }
    }

    /** The block with the smallest key: of the current one, the open ones, and the one that comes next. */
    private @Nullable Block smallest(@Nullable Block current) {
        Block smallest = current;
        if (smallest == null) {
            smallest = open.poll();
        } else if (!open.isEmpty() && open.peek().compareKeys(smallest) < 0) {
            open.add(smallest);
            smallest = open.poll();
        }
        Block next = coming;
        while (next != null && (smallest == null || next.compareKeys(smallest) < 0)) {
            if (smallest != null) {
                open.add(smallest);
            }
            smallest = next;
            next = nextBlock();
            coming = next;
        }
        return smallest;
    }

    private @Nullable Block nextBlock() {
        while (blocks.hasNext()) {
            Tuple2<byte[], byte[]> record = blocks.next();
            if (record._1().length > 0) {
                return new Block(record._2());
            }
            reports.accept(record._2());
        }
        return null;
    }

    /** A cursor at a KV of a block. */
    private static final class Block extends RunCursor {
        private final byte[] entries;
        private int next;

        Block(byte[] entries) {
            this.entries = entries;
            advance();
        }

        @Override
        public boolean advance() {
            if (next == entries.length) {
                return false;
            }
            int entry = next;
            int keyOffset = SortBuffer.keyOffset(entries, entry);
            int keyLength = SortBuffer.keyLength(entries, entry);
            int valueLength = SortBuffer.valueLength(entries, entry);
            set(entries, keyOffset, keyLength, valueLength);
            next = keyOffset + keyLength + valueLength;
            return true;
        }
    }
}
