package io.sluice.tpcc;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Daemons;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Rows made by several threads and written by one, in order: a window of chunks, each filled by a worker, is written
 * from the front while it is refilled at the back. The window bounds memory at twice the workers times 1 MB.
 */
final class RowChunks {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int CHUNKS_PER_WORKER = 2;

    private final TpccTable table;
    private final @Nullable Permutation order;
    private final long tableSeed;
    private final int workers;
    private final int rowsPerChunk;

    /**
     * @param order which row stands where; null: by number
     * @param tableSeed what rows are made from, besides their number
     */
    RowChunks(TpccTable table, @Nullable Permutation order, long tableSeed, int workers) {
        this.table = table;
        this.order = order;
        this.tableSeed = tableSeed;
        this.workers = workers;
        this.rowsPerChunk = Math.max(1, CHUNK_BYTES / table.maxRowBytes());
    }

    /** Writes all rows; the stream stays open. */
    void writeTo(OutputStream out) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(workers, Daemons.named("rows"));
        try {
            Queue<Future<CsvBuffer>> window = new ArrayDeque<>();
            long rows = table.rows();
            long next = 0;
            while (next < rows || !window.isEmpty()) {
                CsvBuffer free = null;
                if (next >= rows || window.size() >= workers * CHUNKS_PER_WORKER) {
                    free = get(window.remove());
                    out.write(free.array(), 0, free.length());
                }
                if (next < rows) {
                    CsvBuffer chunk = free == null ? new CsvBuffer(rowsPerChunk * table.maxRowBytes()) : free;
                    long from = next;
                    next = Math.min(rows, next + rowsPerChunk);
                    long to = next;
                    window.add(pool.submit(() -> fill(chunk, from, to)));
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private CsvBuffer fill(CsvBuffer chunk, long from, long to) {
        SplitMix64 random = new SplitMix64();
        chunk.clear();
        for (long position = from; position < to; position++) {
            long row = order == null ? position : order.at(position);
            random.start(tableSeed, row);
            table.write(row, random, chunk);
        }
        return chunk;
    }

    private static CsvBuffer get(Future<CsvBuffer> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
