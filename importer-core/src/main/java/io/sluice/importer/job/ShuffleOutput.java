package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import io.sluice.importer.ship.BatchBuilder;
import io.sluice.importer.ship.BatchShipper;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.UniqueSink;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * KVs of one index on their way to the nodes that will sort them. A full buffer is sorted first: then there is one
 * batch open at a time and not one for every part, and a node that puts them into order has a sixth of the work.
 */
final class ShuffleOutput extends IndexOutput {
    private final BatchShipper shipper;
    private final byte[][] cuts;
    private KvChecksum shipped = KvChecksum.EMPTY;

    /**
     * An output without KVs.
     *
     * @param cuts keys that no batch may hold KVs on both sides of, ascending
     */
    ShuffleOutput(int ordinal, ImportContext context, BatchShipper shipper, byte[][] cuts) {
        super(ordinal, context);
        this.shipper = shipper;
        this.cuts = cuts;
    }

    /** A buffer waits until it is full: the more of it is sorted together, the better. */
    @Override
    public void splitEnded(SortBuffer buffer, CheckpointUnit group, StageClock clock) {}

    @Override
    public void take(SortBuffer buffer, CheckpointUnit group, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        clock.enter(Stage.SORT);
        buffer.sort();
        clock.enter(Stage.DISK);
        try (Batches batches = new Batches(group)) {
            UniqueSink unique =
                    new UniqueSink(batches, digest(), ordinal(), context().conflicts());
            buffer.drainTo(unique);
            held(unique.heldBack());
            group.held(ordinal(), unique.heldBack());
            batches.ship();
        }
        buffer.clear();
    }

    private synchronized void sent(KvChecksum sum) {
        shipped = shipped.plus(sum);
    }

    /** What was sent. */
    synchronized KvChecksum shipped() {
        return shipped;
    }

    @Override
    long spilledBytes() {
        return 0;
    }

    @Override
    public void close() {}

    /** Cuts a sorted stream into batches that hold KVs of one part each. */
    private final class Batches implements KvSink, AutoCloseable {
        private final CheckpointUnit group;
        private int part;
        private @Nullable BatchBuilder open;

        Batches(CheckpointUnit group) {
            this.group = group;
        }

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
            while (part < cuts.length && CommonCuts.reaches(cuts[part], buffer, keyOffset, keyLength)) {
                ship();
                part++;
            }
            BatchBuilder batch = open;
            if (batch != null && !batch.hasRoom(keyLength + valueLength)) {
                ship();
                batch = null;
            }
            if (batch == null) {
                batch = shipper.begin(digest());
                open = batch;
            }
            batch.add(buffer, keyOffset, keyLength, valueLength);
        }

        /** Ships the batch that is open, if any. */
        void ship() {
            BatchBuilder batch = open;
            if (batch != null) {
                open = null;
                KvChecksum sum = batch.sum();
                sent(sum);
                group.sent();
                shipper.ship(batch, () -> group.taken(ordinal(), sum));
            }
        }

        @Override
        public void close() {
            if (open != null) {
                shipper.giveBack(open);
            }
        }
    }
}
