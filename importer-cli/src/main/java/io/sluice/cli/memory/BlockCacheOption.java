package io.sluice.cli.memory;

import io.sluice.api.error.BadInputException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Memory for blocks of a store that are read again: for commands that read rows here and there. */
public final class BlockCacheOption {
    /** The heap may take half of the machine; what is left the kernel needs as page cache, which reads use as well. */
    private static final int SHARE = 16;

    private static final long LEAST_BYTES = 64L << 20;

    @Option(
            names = "--block-cache",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Memory, outside of the heap, for blocks of the store that are read again, such as 2g."
                    + " Default: a sixteenth of the machine's.")
    @Nullable
    Long bytes;

    /** Whether it was asked for. */
    public boolean given() {
        return bytes != null;
    }

    /**
     * Refuses it where it has no meaning.
     *
     * @param store the one that is opened, if one is
     * @throws BadInputException when it was asked for without a store
     */
    public void check(@Nullable Path store) {
        if (bytes != null && store == null) {
            throw new BadInputException("--block-cache needs --store: nodes have their own");
        }
    }

    /** What was asked for, or the default as far as a memory budget has room for it: an eighth of that. */
    public long bytesWithin(long budgetBytes) {
        return bytes == null ? Math.min(bytes(), Math.max(LEAST_BYTES / 4, budgetBytes / 8)) : bytes;
    }

    /** What was asked for, or the default. */
    public long bytes() {
        return bytes == null ? Math.max(LEAST_BYTES, MachineMemory.bytes() / SHARE) : bytes;
    }
}
