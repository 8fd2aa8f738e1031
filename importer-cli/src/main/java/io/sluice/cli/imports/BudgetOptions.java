package io.sluice.cli.imports;

import io.sluice.cli.memory.BlockCacheOption;
import io.sluice.cli.memory.SizeConverter;
import io.sluice.importer.job.ImportSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Limits on the memory and threads of imports: options of every command that runs or plans one. */
public final class BudgetOptions {
    private static final int MEMORY_SHARE = 4;

    /** Default share of the heap for buffers, in tenths; the rest is for short-lived objects. */
    private static final int HEAP_TENTHS = 8;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Memory limit of the buffers, such as 512m or 4g. Default: 1/4 of the machine's memory.")
    @Nullable
    Long memoryBytes;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads of an import. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    /** The memory budget: the option's value, or 1/4 of the machine's memory, limited by the heap. */
    public long memoryBytes() {
        if (memoryBytes != null) {
            return memoryBytes;
        }
        long roomBytes = Runtime.getRuntime().maxMemory() / 10 * HEAP_TENTHS;
        return Math.max(
                ImportSettings.MIN_MEMORY_BYTES, Math.min(BlockCacheOption.machineBytes() / MEMORY_SHARE, roomBytes));
    }

    /** The memory budget if one was given, or {@link Long#MAX_VALUE}. */
    public long processBytes() {
        return memoryBytes == null ? Long.MAX_VALUE : memoryBytes;
    }

    public int workers() {
        return workers;
    }
}
