package io.sluice.cli.node;

import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.node.NodeSettings;
import org.jspecify.annotations.Nullable;

/**
 * Memory and disk limits of a node that serves a store.
 *
 * @param blockCacheBytes block cache size
 * @param rowCacheBytes row cache size; 0 for none
 * @param diskReserveBytes free space that imports leave on the store's disk; null for the default
 */
public record Serving(
        long blockCacheBytes, long rowCacheBytes, @Nullable Long diskReserveBytes) {
    /** Returns the settings with these limits. */
    public NodeSettings applyTo(NodeSettings settings) {
        NodeSettings cached = settings.withBlockCacheBytes(blockCacheBytes).withRowCacheBytes(rowCacheBytes);
        if (diskReserveBytes == null) {
            return cached;
        }
        AdmissionSettings admission = settings.ingest().admission().withDiskReserveBytes(diskReserveBytes);
        return cached.withIngest(settings.ingest().withAdmission(admission));
    }
}
