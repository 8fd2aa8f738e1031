package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Turns exceptions of RocksDB and of the file system into failures that a user understands. */
public final class StoreErrors {
    private StoreErrors() {}

    /**
     * Describes an error of RocksDB.
     *
     * @param doing the failed action, as in "could not <i>ingest 3 SSTs</i>"
     */
    public static OperationFailedException failed(String doing, RocksDBException e) {
        Status status = e.getStatus();
        return new OperationFailedException("could not " + doing + ": " + reason(status) + message(e), e);
    }

    /** Describes an error of the file system. */
    public static OperationFailedException failed(String doing, IOException e) {
        return new OperationFailedException("could not " + doing + ": " + reason(e), e);
    }

    private static String reason(@Nullable Status status) {
        if (status == null) {
            return "";
        }
        if (status.getSubCode() == Status.SubCode.NoSpace) {
            return "the disk is full; free some space and try again (";
        }
        return switch (status.getCode()) {
            case Corruption -> "data on disk is damaged; if writes fail, too, open the store again (";
            case IOError -> "a disk operation failed; check space and permissions (";
            case Incomplete, ShutdownInProgress, Aborted -> "the storage engine stopped; open the store again (";
            // A code that RocksJava has no name for. The only one seen is kCompactionTooLarge: RocksDB refuses a
            // compaction whose output does not fit on a disk that was full.
            case Undefined -> "the disk may not have room for the result; free some disk space and try again (";
            default -> "the storage engine refused (";
        };
    }

    private static String message(RocksDBException e) {
        return e.getStatus() == null ? String.valueOf(e.getMessage()) : e.getMessage() + ")";
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException denied) {
            return "no permission for " + denied.getFile();
        }
        if (e instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist";
        }
        if (e instanceof FileSystemException fs && fs.getReason() != null) {
            return fs.getFile() + ": " + fs.getReason();
        }
        return String.valueOf(e.getMessage());
    }
}
