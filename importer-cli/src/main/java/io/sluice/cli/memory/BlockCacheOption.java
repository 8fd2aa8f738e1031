package io.sluice.cli.memory;

import io.sluice.model.error.BadInputException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The block cache size: an option of commands that read rows at random. */
public final class BlockCacheOption {
    /** Divisor of the machine's memory. The heap may take half of it, and reads also need the kernel's page cache. */
    private static final int SHARE = 16;

    private static final long LEAST_BYTES = 64L << 20;

    @Option(
            names = "--block-cache",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Block cache size of the store, outside of the heap, such as 2g."
                    + " Default: 1/16 of the machine's memory.")
    @Nullable
    Long bytes;

    /** Whether the option was given. */
    public boolean given() {
        return bytes != null;
    }

    /**
     * Checks that the option is used with a store.
     *
     * @param store the one that is opened, if one is
     * @throws BadInputException if the option is given without a store
     */
    public void check(@Nullable Path store) {
        if (bytes != null && store == null) {
            throw new BadInputException("--block-cache needs --store: nodes have their own");
        }
    }

    /** The option's value, or the default, limited to 1/8 of a memory budget. */
    public long bytesWithin(long budgetBytes) {
        return bytes == null ? Math.min(bytes(), Math.max(LEAST_BYTES / 4, budgetBytes / 8)) : bytes;
    }

    /** The option's value, or the default. */
    public long bytes() {
        return bytes == null ? Math.max(LEAST_BYTES, machineBytes() / SHARE) : bytes;
    }

    /** Memory of the machine, or of this process's container, in bytes. */
    public static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : 2 * Runtime.getRuntime().maxMemory();
    }
}
