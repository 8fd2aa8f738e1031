package io.sluice.cli.node;

import io.sluice.node.NodeSettings;
import io.sluice.node.admit.AdmissionSettings;
import org.jspecify.annotations.Nullable;

/**
 * What a store that is served for long may take of the machine.
 *
 * @param blockCacheBytes memory for blocks that are read again
 * @param rowCacheBytes memory for rows that are read again; 0 for none
 * @param diskReserveBytes free space that imports leave on its disk; null for what nodes leave otherwise
 */
public record Serving(
        long blockCacheBytes, long rowCacheBytes, @Nullable Long diskReserveBytes) {
    /** Settings of a node with these in place of its own. */
    public NodeSettings applyTo(NodeSettings settings) {
        NodeSettings cached = settings.withBlockCacheBytes(blockCacheBytes).withRowCacheBytes(rowCacheBytes);
        if (diskReserveBytes == null) {
            return cached;
        }
        AdmissionSettings admission = settings.ingest().admission().withDiskReserveBytes(diskReserveBytes);
        return cached.withIngest(settings.ingest().withAdmission(admission));
    }
}
