package io.sluice.service;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The directory in which an import service keeps its jobs and its audit log, used by one service at a time. */
public final class StateDirectory implements AutoCloseable {
    private static final String LOCK = "lock";
    private static final String ID = "id";

    private final Path path;
    private final FileChannel lock;

    private StateDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Opens a directory; creates it if it is missing.
     *
     * @throws BadInputException if another service uses it
     * @throws OperationFailedException if it cannot be used
     */
    public static StateDirectory open(Path path) {
        FileChannel file = null;
        try {
            OwnerOnly.createDirectories(path);
            file = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock held = file.tryLock();
            if (held != null) {
                return new StateDirectory(path, file);
            }
        } catch (OverlappingFileLockException e) {
            // Reported below.
        } catch (IOException e) {
            throw new OperationFailedException(path + ": cannot be used: " + Reasons.ofFile(path, e), e);
        }
        close(file);
        throw new BadInputException(
                path + ": another import service keeps its jobs here; end it, or name another directory with --state");
    }

    private static void close(@Nullable FileChannel file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // The file held only a lock, which ends with the process.
        }
    }

    public Path path() {
        return path;
    }

    /** A random id, the same for all services that use this directory. */
    public String id() {
        Path file = path.resolve(ID);
        try {
            if (!Files.exists(file)) {
                DurableFiles.writeAtomically(file, UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
            }
            return Files.readString(file);
        } catch (IOException e) {
            throw new OperationFailedException(file + ": cannot be used: " + Reasons.ofFile(file, e), e);
        }
    }

    /**
     * A directory for temporary files, where the system has them; created if it is missing. No other service has it,
     * and only its owner can read it.
     *
     * @throws OperationFailedException if it cannot be created, or is of another user
     */
    public Path temporary() {
        Path directory = Path.of(System.getProperty("java.io.tmpdir"), "sluice-" + id());
        try {
            OwnerOnly.createDirectories(directory);
            OwnerOnly.restrict(directory);
            return directory;
        } catch (IOException e) {
            throw new OperationFailedException(directory + ": cannot be used: " + Reasons.ofFile(directory, e), e);
        }
    }

    /** Lets other services use the directory. */
    @Override
    public void close() {
        close(lock);
    }
}
