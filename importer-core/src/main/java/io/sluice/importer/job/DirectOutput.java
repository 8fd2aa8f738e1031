package io.sluice.importer.job;

import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.UniqueSink;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ships the sorted buffers of one index to the nodes as SSTs.
 *
 * <p>SSTs of all buffers are cut at the same keys, chosen from the first buffer. So SSTs overlap only within one part
 * of the keys, and the node can merge the parts in parallel.
 */
final class DirectOutput extends IndexOutput {
    /**
     * Least size of an SST: 8 MiB. An SST costs the node some 5 ms of syncs whatever its size. SSTs of 2 MiB take as
     * long to sort and write, and made imports twice as slow; at 8 MiB the syncs take a seventh. Narrower stacks gain
     * nothing, since the node splits its merges.
     */
    static final int MIN_SST_BYTES = 8 << 20;

    static final int MAX_SSTS = 16;

    private final ShippedChecksum shipped = new ShippedChecksum();
    private byte @Nullable [][] cuts;

    DirectOutput(int ordinal, ImportContext context) {
        super(ordinal, context);
    }

    /** Ships KVs in order after each split: such SSTs do not overlap. */
    @Override
    public void splitEnded(SortBuffer buffer, CheckpointUnit unit, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.cameInOrder() && buffer.bytes() >= MIN_STREAMED_BYTES) {
            take(buffer, unit, clock);
        }
    }

    @Override
    public void take(SortBuffer buffer, CheckpointUnit unit, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        clock.enter(Stage.SORT);
        buffer.sort();
        clock.enter(Stage.SST);
        try (CuttingSink sink = new CuttingSink(cuts(buffer), unit, clock)) {
            UniqueSink unique =
                    new UniqueSink(sink, digest(), ordinal(), context().conflicts());
            buffer.drainTo(unique);
            held(unique.heldBack());
            unit.held(ordinal(), unique.heldBack());
            sink.ship();
        }
        buffer.clear();
    }

    private synchronized byte[][] cuts(SortBuffer buffer) {
        if (cuts == null) {
            List<byte[]> ranges = context().chooseCuts(ordinal(), CommonCuts.quantiles(buffer));
            cuts = CommonCuts.of(buffer, ranges, MIN_SST_BYTES, MAX_SSTS);
        }
        return cuts;
    }

    /** The checksum of all SSTs. Waits until the nodes have them; the time counts as stage {@code disk}. */
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

    /** Cuts a sorted stream into SSTs and ships each one when it is complete. */
    private final class CuttingSink implements KvSink, AutoCloseable {
        private final byte[][] cuts;
        private final CheckpointUnit unit;
        private final StageClock clock;
        private int next;
        private @Nullable SstBuilder builder;

        CuttingSink(byte[][] cuts, CheckpointUnit unit, StageClock clock) {
            this.cuts = cuts;
            this.unit = unit;
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

        /** Ships the open SST, if any. */
        void ship() throws IOException {
            SstBuilder complete = builder;
            if (complete == null) {
                return;
            }
            clock.enter(Stage.DISK);
            try {
                CompletableFuture<SstFile> future = context().shipper().finishAndShip(complete);
                builder = null;
                unit.sent();
                shipped.add(future.whenComplete((sst, failure) -> {
                    if (failure == null) {
                        unit.taken(ordinal(), sst.sum());
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
