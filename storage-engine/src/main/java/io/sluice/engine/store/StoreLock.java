package io.sluice.engine.store;

import io.sluice.model.error.BadInputException;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An exclusive lock on a store, held by one opener in one process at a time. It locks a file of our own before RocksDB
 * is opened. The file holds the owner's process id, and stays after the release.
 */
final class StoreLock implements AutoCloseable {
    /**
     * Lock files held by this process. Checked before the file is opened, because closing any channel on it would
     * release the lock that this process holds through another channel.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** Name of the file in the store's directory. */
    static final String FILE_NAME = "LOCK";

    private static final int MAX_PID_BYTES = 32;

    private final Path file;
    private final FileChannel channel;

    private StoreLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @param directory the store's, existing
     * @throws BadInputException when another opener or process holds it
     */
    static StoreLock take(Path directory) {
        Path real;
        try {
            real = directory.toRealPath().resolve(FILE_NAME);
        } catch (IOException e) {
            throw StoreErrors.failed("lock the store " + directory, e);
        }
        if (!HELD.add(real)) {
            throw inUse(real, Long.toString(ProcessHandle.current().pid()));
        }
        try {
            return new StoreLock(real, lockedChannel(real));
        } catch (IOException e) {
            HELD.remove(real);
            throw StoreErrors.failed("lock the store " + directory, e);
        } catch (RuntimeException e) {
            HELD.remove(real);
            throw e;
        }
    }

    private static FileChannel lockedChannel(Path file) throws IOException {
        boolean isNew = !Files.exists(file);
        FileChannel channel =
                OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean remove = false;
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw inUse(file, holder(channel));
            }
            remove = isNew;
            byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(pid), 0);
            return channel;
        } catch (IOException | RuntimeException e) {
            try (channel) {
                if (remove) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private static @Nullable String holder(FileChannel channel) {
        try {
            ByteBuffer content = ByteBuffer.allocate(MAX_PID_BYTES);
            channel.read(content, 0);
            String pid = new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII).strip();
            return pid.isEmpty() ? null : pid;
        } catch (IOException e) {
            // Only the process id is missing from a message, on systems where a lock prevents reads.
            return null;
        }
    }

    private static BadInputException inUse(Path file, @Nullable String pid) {
        return new BadInputException("the store " + file.getParent() + " is in use by "
                + (pid == null ? "another process" : "process " + pid)
                + "; wait until it ends, or use another store");
    }

    @Override
    public synchronized void close() {
        if (!channel.isOpen()) {
            return;
        }
        try {
            channel.truncate(0);
            channel.close();
        } catch (IOException e) {
            throw StoreErrors.failed("unlock the store " + file.getParent(), e);
        } finally {
            HELD.remove(file);
        }
    }
}
