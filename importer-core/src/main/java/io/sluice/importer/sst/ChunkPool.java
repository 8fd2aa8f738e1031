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

    /**
     * Chunks are slices of larger arrays: 8 MiB. The young generation has 16 MiB, and an array of half of it or more is
     * not copied out of it.
     */
    private static final int SLAB_BYTES = 8 << 20;

    /** 256 MiB. */
    private static final int MOST_FREE = 1 << 10;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(MOST_FREE);
    /** The array of which chunks are cut. Guarded by this. */
    private ByteBuffer slab = ByteBuffer.allocate(0);

    /** An empty heap buffer. */
    ByteBuffer take() {
        ByteBuffer chunk = free.poll();
        return chunk == null ? slice() : chunk.clear();
    }

    private synchronized ByteBuffer slice() {
        if (!slab.hasRemaining()) {
            slab = ByteBuffer.allocate(SLAB_BYTES);
        }
        ByteBuffer chunk = slab.slice(slab.position(), CHUNK_BYTES);
        slab.position(slab.position() + CHUNK_BYTES);
        return chunk;
    }

    void giveBack(ByteBuffer chunk) {
        boolean unused = free.offer(chunk);
    }
}
