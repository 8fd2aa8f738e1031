package io.sluice.cli.node;

import io.sluice.api.error.BadInputException;
import io.sluice.cli.imports.SizeConverter;
import picocli.CommandLine.Option;

/** How much memory a node that serves rows keeps them in. */
public final class RowCacheOptions {
    /** Of the heap, in tenths: what requests and imports need is in it too. */
    private static final int HEAP_TENTHS = 6;

    @Option(
            names = "--row-cache",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "0",
            description = "Memory for rows that are read again, such as 512m. Default: none.")
    long bytes;

    /**
     * The size.
     *
     * @throws BadInputException when the heap has no room for it
     */
    public long bytes() {
        long heapBytes = Runtime.getRuntime().maxMemory();
        if (bytes > heapBytes / 10 * HEAP_TENTHS) {
            throw new BadInputException("--row-cache: " + (bytes >> 20) + " MiB are more than " + HEAP_TENTHS
                    + " tenths of the heap, which has " + (heapBytes >> 20)
                    + " MiB; ask for less, or give the program more with SLUICE_JAVA_OPTS=-Xmx…");
        }
        return bytes;
    }
}
