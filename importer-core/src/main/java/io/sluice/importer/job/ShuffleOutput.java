package io.sluice.importer.job;

import io.sluice.importer.ship.BatchBuilder;
import io.sluice.importer.ship.BatchShipper;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.UniqueSink;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the KVs of one index to the nodes, which sort them. A full buffer is sorted first: so one batch is open at a
 * time, not one per part, and the node's sort has a sixth of the work.
 */
final class ShuffleOutput extends IndexOutput {
    private final BatchShipper shipper;
    private final byte[][] cuts;
    private KvChecksum shipped = KvChecksum.EMPTY;

    /**
     * Creates an empty output.
     *
     * @param cuts borders between batches, ascending: no batch holds KVs from both sides of a cut
     */
    ShuffleOutput(int ordinal, ImportContext context, BatchShipper shipper, byte[][] cuts) {
        super(ordinal, context);
        this.shipper = shipper;
        this.cuts = cuts;
    }

    /** Keeps the buffer until it is full, since sorting more KVs at once is better. */
    @Override
    public void splitEnded(SortBuffer buffer, CheckpointUnit unit, StageClock clock) {}

    @Override
    public void take(SortBuffer buffer, CheckpointUnit unit, StageClock clock)
            throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        clock.enter(Stage.SORT);
        buffer.sort();
        clock.enter(Stage.DISK);
        try (Batches batches = new Batches(unit)) {
            UniqueSink unique =
                    new UniqueSink(batches, digest(), ordinal(), context().conflicts());
            buffer.drainTo(unique);
            held(unique.heldBack());
            unit.held(ordinal(), unique.heldBack());
            batches.ship();
        }
        buffer.clear();
    }

    private synchronized void sent(KvChecksum sum) {
        shipped = shipped.plus(sum);
    }

    /** Checksum of the KVs that were sent. */
    synchronized KvChecksum shipped() {
        return shipped;
    }

    @Override
    long spilledBytes() {
        return 0;
    }

    @Override
    public void close() {}

    /** Cuts a sorted stream into batches; each holds KVs of one part. */
    private final class Batches implements KvSink, AutoCloseable {
        private final CheckpointUnit unit;
        private int part;
        private @Nullable BatchBuilder open;

        Batches(CheckpointUnit unit) {
            this.unit = unit;
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

        /** Ships the open batch, if any. */
        void ship() {
            BatchBuilder batch = open;
            if (batch != null) {
                open = null;
                KvChecksum sum = batch.sum();
                sent(sum);
                unit.sent();
                shipper.ship(batch, () -> unit.taken(ordinal(), sum));
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
