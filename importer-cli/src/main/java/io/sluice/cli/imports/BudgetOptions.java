package io.sluice.cli.imports;

import io.sluice.cli.memory.MachineMemory;
import io.sluice.cli.memory.SizeConverter;
import io.sluice.importer.job.ImportSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of the machine imports may take: options of every command that runs or plans some. */
public final class BudgetOptions {
    private static final int MEMORY_SHARE = 4;

    /** How much of the heap buffers may take by default; the rest is for what comes and goes. */
    private static final int HEAP_TENTHS = 8;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Budget for buffers, such as 512m or 4g. Default: a quarter of the machine's memory.")
    @Nullable
    Long memoryBytes;

    @Option(names = "--workers", paramLabel = "N", description = "Threads of an import. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    /** The memory budget: as told, or a quarter of the machine's memory as far as the heap has room for it. */
    public long memoryBytes() {
        if (memoryBytes != null) {
            return memoryBytes;
        }
        long roomBytes = Runtime.getRuntime().maxMemory() / 10 * HEAP_TENTHS;
        return Math.max(ImportSettings.MIN_MEMORY_BYTES, Math.min(MachineMemory.bytes() / MEMORY_SHARE, roomBytes));
    }

    /** The budget that the whole process is held to, or the greatest number when none was given. */
    public long processBytes() {
        return memoryBytes == null ? Long.MAX_VALUE : memoryBytes;
    }

    /** Threads of an import. */
    public int workers() {
        return workers;
    }
}
