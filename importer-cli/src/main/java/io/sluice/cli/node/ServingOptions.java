package io.sluice.cli.node;

import io.sluice.cli.memory.BlockCacheOption;
import io.sluice.cli.memory.SizeConverter;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.node.NodeSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the memory and disk limits of a node that serves a store. */
public final class ServingOptions {
    /** Of the heap, in tenths: what requests and imports need is in it too. */
    private static final int HEAP_TENTHS = 6;

    @Mixin
    BlockCacheOption blockCache = new BlockCacheOption();

    @Option(
            names = "--row-cache",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Row cache size, such as 512m. Default: none.")
    @Nullable
    Long rowCacheBytes;

    @Option(
            names = "--disk-reserve",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Free space that imports must leave on the store's disk, such as 50g. Default: 4g.")
    @Nullable
    Long diskReserveBytes;

    /** Whether any was given. */
    public boolean given() {
        return blockCache.given() || rowCacheBytes != null || diskReserveBytes != null;
    }

    /**
     * Returns the settings with the limits.
     *
     * @throws BadInputException if the row cache does not fit into the heap
     */
    public NodeSettings settings() {
        return settings(Long.MAX_VALUE);
    }

    /** Returns the settings; the default block cache size stays within a memory budget of the process. */
    public NodeSettings settings(long budgetBytes) {
        long heapBytes = Runtime.getRuntime().maxMemory();
        if (rowCacheBytes != null && rowCacheBytes > heapBytes / 10 * HEAP_TENTHS) {
            throw new BadInputException("--row-cache: " + (rowCacheBytes >> 20) + " MiB are more than " + HEAP_TENTHS
                    + " tenths of the heap, which has " + (heapBytes >> 20)
                    + " MiB; ask for less, or give the program more with SLUICE_JAVA_OPTS=-Xmx…");
        }
        NodeSettings settings = NodeSettings.defaults()
                .withBlockCacheBytes(blockCache.bytesWithin(budgetBytes))
                .withRowCacheBytes(rowCacheBytes == null ? 0 : rowCacheBytes);
        if (diskReserveBytes == null) {
            return settings;
        }
        // The distance between the two limits stays.
        AdmissionSettings gate = settings.ingest().admission();
        long lowBytes = diskReserveBytes + gate.disk().lowBytes() - gate.disk().reserveBytes();
        AdmissionSettings.Disk disk = new AdmissionSettings.Disk(lowBytes, diskReserveBytes);
        return settings.withIngest(settings.ingest().withAdmission(gate.withDisk(disk)));
    }
}
