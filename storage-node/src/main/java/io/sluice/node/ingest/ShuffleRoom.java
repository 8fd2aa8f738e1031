package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import io.sluice.engine.admit.AdmissionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the disk has room for a batch of KVs. The disk must hold the buffered KVs a second time, as SSTs, and
 * the reserve of the node's gate. Usable by several threads.
 */
final class ShuffleRoom {
    private final ImportContext context;
    private final Gate gate;
    private final long stallMillis;
    /** The time since which batches wait for disk space, or -1. */
    private long fullSinceMillis = -1;

    ShuffleRoom(ImportContext context, Gate gate, long stallMillis) {
        this.context = context;
        this.gate = gate;
        this.stallMillis = stallMillis;
    }

    /** The answer to a batch without room; null when there is room. */
    synchronized @Nullable ShipAnswer answer(long bufferedBytes) {
        AdmissionSettings limits = context.settings().admission();
        long free = gate.diskFreeBytes();
        if (free >= limits.disk().lowBytes() + bufferedBytes) {
            fullSinceMillis = -1;
            return null;
        }
        long now = context.clock().millis();
        if (fullSinceMillis < 0) {
            fullSinceMillis = now;
        }
        if (now - fullSinceMillis < context.settings().diskPatienceMillis()) {
            return new ShipAnswer.Deferred(limits.waits().maxMillis(), "disk");
        }
        return new ShipAnswer.Refused(
                "the disk has " + free + " bytes left, and the " + bufferedBytes
                        + " bytes that are buffered need as much "
                        + "again to become SSTs; free some space, or import with another mode",
                "disk");
    }

    /** The answer to a batch while the buffer's disk is too slow. */
    ShipAnswer stalled() {
        return new ShipAnswer.Deferred(stallMillis, "stall");
    }
}
