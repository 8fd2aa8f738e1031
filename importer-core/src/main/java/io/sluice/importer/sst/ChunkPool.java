package io.sluice.importer.sst;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Memory that SSTs use one after the other. It bounds only what it keeps; callers bound what they use. Thread-safe.
 *
 * <p>Allocated anew for every SST, the chunks would be copied by the garbage collector before they die, and the heap
 * would grow to many times what is in use.
 */
final class ChunkPool {
    private static final int CHUNK_BYTES = 256 << 10;
    /** 256 MiB. */
    private static final int MOST_FREE = 1 << 10;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(MOST_FREE);

    /** An empty heap buffer. */
    ByteBuffer take() {
        ByteBuffer chunk = free.poll();
        return chunk == null ? ByteBuffer.allocate(CHUNK_BYTES) : chunk.clear();
    }

    void giveBack(ByteBuffer chunk) {
        boolean unused = free.offer(chunk);
    }
}
