package io.sluice.node.ingest;

import io.sluice.engine.store.StoreErrors;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The free space of the store's file system, read at most once a second. Usable by several threads. */
final class DiskGauge implements LongSupplier {
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FileStore disk;
    private long freeBytes;
    private long nextNanos = System.nanoTime();

    /** Creates a gauge of a directory's file system. */
    DiskGauge(Path directory) {
        try {
            disk = Files.getFileStore(directory);
        } catch (IOException e) {
            throw StoreErrors.failed("find the disk of " + directory, e);
        }
    }

    /** Free bytes; 0 when they cannot be read, so that no SST is admitted until they can. */
    @Override
    public synchronized long getAsLong() {
        if (System.nanoTime() - nextNanos >= 0) {
            nextNanos = System.nanoTime() + EVERY_NANOS;
            try {
                freeBytes = disk.getUsableSpace();
            } catch (IOException e) {
                freeBytes = 0;
            }
        }
        return freeBytes;
    }
}
