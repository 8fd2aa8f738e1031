package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.UniqueSink;
import io.sluice.importer.sst.SstBuilder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * KVs of one index on their way straight to the node.
 *
 * <p>SSTs of all buffers are cut at the same keys, chosen from the first buffer: then what overlaps in the node's tree
 * overlaps within one part of the keys, and the parts can be merged beside each other.
 */
final class DirectOutput extends IndexOutput {
    /**
     * An SST costs the node some 5 ms of syncs whatever its size, so pieces of 2 MiB, which take as long to sort and
     * write, made it twice as slow; of 8 MiB that is a seventh. Stacks need not be narrower: the node divides its
     * merges.
     */
    static final int LEAST_PIECE_BYTES = 8 << 20;

    static final int MAX_PIECES = 16;

    private final ShippedChecksum shipped = new ShippedChecksum();
    private byte @Nullable [][] cuts;

    DirectOutput(int ordinal, ImportContext context) {
        super(ordinal, context);
    }

    /** KVs in order are shipped split by split: then they overlap nothing at all. */
    @Override
    public void splitEnded(SortBuffer buffer, CheckpointUnit group, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.cameInOrder() && buffer.bytes() >= MIN_STREAMED_BYTES) {
            take(buffer, group, clock);
        }
    }

    @Override
    public void take(SortBuffer buffer, CheckpointUnit group, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        clock.enter(Stage.SORT);
        buffer.sort();
        clock.enter(Stage.SST);
        try (Pieces pieces = new Pieces(cuts(buffer), group, clock)) {
            UniqueSink unique =
                    new UniqueSink(pieces, digest(), ordinal(), context().conflicts());
            buffer.drainTo(unique);
            held(unique.heldBack());
            group.held(ordinal(), unique.heldBack());
            pieces.ship();
        }
        buffer.clear();
    }

    private synchronized byte[][] cuts(SortBuffer buffer) {
        if (cuts == null) {
            List<byte[]> ranges = context().chooseCuts(ordinal(), CommonCuts.quantiles(buffer));
            cuts = CommonCuts.of(buffer, ranges, LEAST_PIECE_BYTES, MAX_PIECES);
        }
        return cuts;
    }

    /** What all SSTs add up to; waits until the nodes have them, which counts as waiting for disks and nodes. */
    KvChecksum shipped() throws InterruptedException {
        long start = System.nanoTime();
        KvChecksum sum = shipped.await();
        context().progress().spent(Stage.DISK, System.nanoTime() - start);
        return sum;
    }

    @Override
    long spilledBytes() {
        return 0;
    }

    @Override
    public void close() {}

    /** Cuts a sorted stream into SSTs and ships each as soon as it is complete. */
    private final class Pieces implements KvSink, AutoCloseable {
        private final byte[][] cuts;
        private final CheckpointUnit group;
        private final StageClock clock;
        private int next;
        private @Nullable SstBuilder builder;

        Pieces(byte[][] cuts, CheckpointUnit group, StageClock clock) {
            this.cuts = cuts;
            this.group = group;
            this.clock = clock;
        }

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
            while (next < cuts.length && CommonCuts.reaches(cuts[next], buffer, keyOffset, keyLength)) {
                next++;
                ship();
            }
            SstBuilder open = builder;
            if (open == null) {
                open = newSst();
                builder = open;
            }
            open.add(buffer, keyOffset, keyLength, valueLength);
        }

        /** Ships the SST that is open, if any. */
        void ship() throws IOException {
            SstBuilder complete = builder;
            if (complete == null) {
                return;
            }
            clock.enter(Stage.DISK);
            try {
                CompletableFuture<SstFile> future = context().shipper().finishAndShip(complete);
                builder = null;
                group.sent();
                shipped.add(future.whenComplete((sst, failure) -> {
                    if (failure == null) {
                        group.taken(ordinal(), sst.sum());
                    }
                }));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the import was interrupted");
            }
            clock.enter(Stage.SST);
        }

        @Override
        public void close() throws IOException {
            if (builder != null) {
                builder.close();
            }
        }
    }
}
