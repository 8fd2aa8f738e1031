package io.sluice.node.ingest;

import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.admit.AdmissionDecision;
import io.sluice.engine.admit.AdmissionPolicy;
import io.sluice.engine.admit.AdmissionState;
import io.sluice.engine.admit.Limiter;
import io.sluice.engine.admit.NodeLoad;
import io.sluice.engine.admit.WriteStall;
import io.sluice.engine.compact.Compactor;
import io.sluice.engine.compact.LiveTree;
import io.sluice.engine.compact.LiveTree.Arrival;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.RocksStore;
import java.time.Clock;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The node's admission gate: collects the load, asks the {@link AdmissionPolicy}, and counts admitted SSTs until they
 * have arrived. One for all imports. Usable by several threads.
 */
final class Gate {
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AdmissionPolicy policy;
    private final long maxDeferMillis;
    private final long diskPatienceMillis;
    private final long diskReserveBytes;
    private final RocksStore store;
    private final Compactor compactor;
    private final DiskGauge disk;
    private final Clock clock;

    private AdmissionState state = AdmissionState.IDLE;
    private long stagedBytes;
    private WriteStall stall = WriteStall.NONE;
    private long nextStallNanos = System.nanoTime();
    /** The time since which SSTs wait for disk space, or -1. */
    private long fullSinceMillis = -1;
    /** The limiter that kept the last SST out; empty when it was admitted. */
    private String limiter = "";

    private long limitedAtMillis;

    Gate(ImportContext context) {
        IngestSettings settings = context.settings();
        policy = new AdmissionPolicy(settings.admission());
        maxDeferMillis = settings.admission().waits().maxMillis();
        diskPatienceMillis = settings.diskPatienceMillis();
        diskReserveBytes = settings.admission().disk().reserveBytes();
        store = context.store();
        compactor = context.compactor();
        disk = new DiskGauge(context.staging());
        clock = context.clock();
    }

    /** Room for one SST, held until {@link #arrived}. */
    final class Place {
        private final @Nullable LiveTree tree;
        private final @Nullable Arrival arrival;
        private final long fileBytes;

        private Place(@Nullable LiveTree tree, @Nullable Arrival arrival, long fileBytes) {
            this.tree = tree;
            this.arrival = arrival;
            this.fileBytes = fileBytes;
        }

        /** Releases the room: the SST is in the tree, or its KVs were Put. */
        void arrived() {
            if (tree != null && arrival != null) {
                tree.arrived(arrival);
                compactor.touched(tree.family().name());
            }
            release(fileBytes);
        }

        /** Releases the room without an SST. */
        void leave() {
            if (tree != null && arrival != null) {
                tree.withdraw(arrival);
            }
            release(fileBytes);
        }
    }

    /** A place for an SST, or without one the answer to send. */
    record Entry(@Nullable Place place, ShipAnswer answer) {}

    /**
     * Decides whether an SST may enter the tree.
     *
     * @param asFile whether it will be a file of the tree; KVs that are Put add no height
     */
    synchronized Entry enter(SstFile sst, LiveTree tree, boolean asFile) {
        KeyBounds bounds = LsmShape.bounds(sst);
        long now = clock.millis();
        NodeLoad load = new NodeLoad(
                asFile ? tree.top(bounds) : 0,
                compactor.files(),
                compactor.owedBytes(),
                stagedBytes,
                Math.max(0, disk.getAsLong() - stagedBytes),
                stall(),
                now);
        AdmissionPolicy.Outcome outcome = policy.decide(sst.fileBytes(), load, state);
        state = outcome.state();
        AdmissionDecision decision = outcome.decision();
        if (decision.limiter() != Limiter.DISK || decision instanceof AdmissionDecision.Admit) {
            fullSinceMillis = -1;
        }
        if (decision instanceof AdmissionDecision.Defer defer) {
            return turnedAway(new ShipAnswer.Deferred(defer.afterMillis(), word(defer.limiter())), defer.limiter());
        }
        if (decision instanceof AdmissionDecision.Refuse refuse) {
            return turnedAway(refusal(refuse, now), refuse.limiter());
        }
        limiter = "";
        stagedBytes += sst.fileBytes();
        Arrival arrival = asFile ? tree.expect(bounds) : null;
        return new Entry(new Place(tree, arrival, sst.fileBytes()), new ShipAnswer.Taken());
    }

    /**
     * Decides whether an SST may be staged, by free disk space alone. Its bytes are counted until its file is on disk
     * and reduces the free space.
     */
    synchronized Entry enterStaging(SstFile sst) {
        long left = disk.getAsLong() - stagedBytes - sst.fileBytes();
        if (left < diskReserveBytes) {
            String reason = "the disk would have " + left + " bytes left, and " + diskReserveBytes
                    + " are kept free; make room on it";
            return turnedAway(
                    refusal(new AdmissionDecision.Refuse(Limiter.DISK, 1, reason), clock.millis()), Limiter.DISK);
        }
        fullSinceMillis = -1;
        stagedBytes += sst.fileBytes();
        return new Entry(new Place(null, null, sst.fileBytes()), new ShipAnswer.Taken());
    }

    private Entry turnedAway(ShipAnswer answer, Limiter by) {
        limiter = word(by);
        limitedAtMillis = clock.millis();
        return new Entry(null, answer);
    }

    /** Free bytes on the disk of the store. */
    long diskFreeBytes() {
        return disk.getAsLong();
    }

    /** The node's load for clients. */
    synchronized NodeStatus.Load load() {
        boolean waiting = clock.millis() - limitedAtMillis <= 2 * maxDeferMillis;
        return new NodeStatus.Load(
                compactor.height(),
                (int) Math.min(Integer.MAX_VALUE, compactor.files()),
                compactor.owedBytes(),
                stagedBytes,
                disk.getAsLong(),
                waiting ? limiter : "");
    }

    /**
     * The answer to a refused SST. A full disk defers SSTs first, because the operator may make room; later it refuses.
     */
    private ShipAnswer refusal(AdmissionDecision.Refuse refuse, long now) {
        if (refuse.limiter() == Limiter.DISK) {
            if (fullSinceMillis < 0) {
                fullSinceMillis = now;
            }
            if (now - fullSinceMillis < diskPatienceMillis) {
                return new ShipAnswer.Deferred(maxDeferMillis, word(Limiter.DISK));
            }
        }
        return new ShipAnswer.Refused(refuse.reason(), word(refuse.limiter()));
    }

    private synchronized void release(long bytes) {
        stagedBytes -= bytes;
    }

    private WriteStall stall() {
        if (System.nanoTime() - nextStallNanos >= 0) {
            nextStallNanos = System.nanoTime() + STALL_NANOS;
            boolean stopped = store.property("rocksdb.is-write-stopped") > 0;
            boolean delayed = store.property("rocksdb.actual-delayed-write-rate") > 0;
            stall = stopped ? WriteStall.STOPPED : delayed ? WriteStall.DELAYED : WriteStall.NONE;
        }
        return stall;
    }

    private static String word(Limiter limiter) {
        return switch (limiter) {
            case HEIGHT -> "sublevels";
            case FILES, COMPACTION, STAGING, DISK, STALL -> limiter.name().toLowerCase(Locale.ROOT);
            case SST_SIZE -> "size";
        };
    }
}
