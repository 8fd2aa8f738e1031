package io.sluice.importer.job.output;

import io.sluice.api.node.SstFile;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.resume.CheckpointUnit;
import io.sluice.importer.ship.BatchBuilder;
import io.sluice.importer.ship.BatchShipper;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts every buffer of one index and ships it to the nodes at once, cut at common keys.
 *
 * <p>In mode direct it ships SSTs. All buffers are cut at the same keys, chosen from the first buffer. So SSTs overlap
 * only within one part of the keys, and the node can merge the parts in parallel.
 *
 * <p>In mode two-pass it ships batches of KVs, cut at the borders of the nodes' ranges. A sorted buffer needs one open
 * batch at a time, not one per part, and the node's sort has a sixth of the work.
 */
public final class ShippedOutput extends IndexOutput {
    /**
     * Least size of an SST: 8 MiB. An SST costs the node some 5 ms of syncs whatever its size. SSTs of 2 MiB take as
     * long to sort and write, and made imports twice as slow; at 8 MiB the syncs take a seventh. Narrower stacks gain
     * nothing, since the node splits its merges.
     */
    public static final int MIN_SST_BYTES = 8 << 20;

    public static final int MAX_SSTS = 16;

    private final @Nullable BatchShipper batches;
    private byte @Nullable [][] cuts;
    private KvChecksum shipped = KvChecksum.EMPTY;

    /**
     * Creates an empty output.
     *
     * @param batches ships batches of KVs in mode two-pass; null: ships SSTs
     */
    ShippedOutput(int ordinal, ImportContext context, @Nullable BatchShipper batches) {
        super(ordinal, context);
        this.batches = batches;
        cuts = batches == null ? null : batches.cuts();
    }

    /** Ships SSTs in order after each split, since they do not overlap. Batches wait until the buffer is full. */
    @Override
    void splitEnded(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException {
        if (batches == null && buffer.cameInOrder() && buffer.bytes() >= MIN_STREAMED_BYTES) {
            take(buffer, unit);
        }
    }

    @Override
    void take(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        unit.enter(Stage.SORT);
        buffer.sort();
        unit.enter(batches == null ? Stage.SST : Stage.DISK);
        KvChecksum repeated = batches == null ? shipSsts(buffer, unit) : shipBatches(batches, buffer, unit);
        unit.held(ordinal(), repeated);
        buffer.clear();
    }

    private KvChecksum shipSsts(SortBuffer buffer, CheckpointUnit unit) throws IOException {
        try (Ssts ssts = new Ssts(cuts(buffer), unit)) {
            KvChecksum repeated = passOn(buffer::drainTo, ssts);
            ssts.ship();
            return repeated;
        }
    }

    private KvChecksum shipBatches(BatchShipper shipper, SortBuffer buffer, CheckpointUnit unit) throws IOException {
        try (Batches open = new Batches(shipper, cuts(buffer), unit)) {
            KvChecksum repeated = passOn(buffer::drainTo, open);
            open.ship();
            return repeated;
        }
    }

    private synchronized byte[][] cuts(SortBuffer buffer) {
        if (cuts == null) {
            List<byte[]> ranges = context().chooseCuts(ordinal(), CommonCuts.quantiles(buffer));
            List<byte[]> all = List.of(CommonCuts.of(buffer, ranges, MIN_SST_BYTES, MAX_SSTS));
            cuts = new IndexKeys(context().table()).borders(ordinal(), all).toArray(new byte[0][]);
        }
        return cuts;
    }

    private void taken(CheckpointUnit unit, KvChecksum sum) {
        synchronized (this) {
            shipped = shipped.plus(sum);
        }
        unit.taken(ordinal(), sum);
    }

    /** Checksum of the KVs that nodes have taken. */
    synchronized KvChecksum shipped() {
        return shipped;
    }

    /** Cuts a sorted stream into SSTs and ships each one when it is complete. */
    private final class Ssts implements KvSink, AutoCloseable {
        private final byte[][] borders;
        private final CheckpointUnit unit;
        private int next;
        private @Nullable SstBuilder open;

        Ssts(byte[][] borders, CheckpointUnit unit) {
            this.borders = borders;
            this.unit = unit;
        }

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException {
            while (next < borders.length && CommonCuts.reaches(borders[next], buffer, keyOffset, keyLength)) {
                next++;
                ship();
            }
            SstBuilder sst = open;
            if (sst == null) {
                sst = newSst();
                open = sst;
            }
            sst.add(buffer, keyOffset, keyLength, valueLength);
        }

        /** Ships the open SST, if any. */
        void ship() throws IOException {
            SstBuilder complete = open;
            if (complete == null) {
                return;
            }
            unit.enter(Stage.DISK);
            unit.sent();
            try {
                context().shipper().finishAndShip(complete, (SstFile sst) -> taken(unit, sst.sum()));
                open = null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the import was interrupted");
            }
            unit.enter(Stage.SST);
        }

        @Override
        public void close() throws IOException {
            if (open != null) {
                open.close();
            }
        }
    }

    /** Cuts a sorted stream into batches; each holds KVs of one part. */
    private final class Batches implements KvSink, AutoCloseable {
        private final BatchShipper shipper;
        private final byte[][] borders;
        private final CheckpointUnit unit;
        private int part;
        private @Nullable BatchBuilder open;

        Batches(BatchShipper shipper, byte[][] borders, CheckpointUnit unit) {
            this.shipper = shipper;
            this.borders = borders;
            this.unit = unit;
        }

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            while (part < borders.length && CommonCuts.reaches(borders[part], buffer, keyOffset, keyLength)) {
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
                unit.sent();
                shipper.ship(batch, () -> taken(unit, sum));
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
