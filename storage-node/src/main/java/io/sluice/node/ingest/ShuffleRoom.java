package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import io.sluice.node.admit.AdmissionSettings;
import org.jspecify.annotations.Nullable;

/**
 * Whether there is room for one more batch of KVs. The disk must hold what is buffered a second time, as the SSTs it
 * will become, and keep the reserve that the node's gate keeps. Usable by several threads.
 */
final class ShuffleRoom {
    private final ImportContext context;
    private final long stallMillis;
    /** Since when batches have waited for space, or -1. */
    private long fullSinceMillis = -1;

    ShuffleRoom(ImportContext context, long stallMillis) {
        this.context = context;
        this.stallMillis = stallMillis;
    }

    /** The answer to a batch for which there is no room; null when there is. */
    synchronized @Nullable ShipAnswer answer(long bufferedBytes) {
        AdmissionSettings limits = context.settings().admission();
        long free = context.diskFreeBytes().getAsLong();
        if (free >= limits.diskLowBytes() + bufferedBytes) {
            fullSinceMillis = -1;
            return null;
        }
        long now = context.clock().millis();
        if (fullSinceMillis < 0) {
            fullSinceMillis = now;
        }
        if (now - fullSinceMillis < context.settings().diskPatienceMillis()) {
            return new ShipAnswer.Deferred(limits.maxDeferMillis(), "disk");
        }
        return new ShipAnswer.Refused(
                "the disk has " + free + " bytes left, and the " + bufferedBytes
                        + " bytes that are buffered need as much "
                        + "again to become SSTs; free some space, or import with another mode",
                "disk");
    }

    /** The answer to a batch that met a buffer whose disk does not keep up. */
    ShipAnswer stalled() {
        return new ShipAnswer.Deferred(stallMillis, "stall");
    }
}
