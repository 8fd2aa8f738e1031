package io.sluice.engine.lsm.manifest;

import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.manifest.Fields.MalformedEdit;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the MANIFEST of a RocksDB database. It begins with the files that were live when the database was last opened
 * (or when the previous MANIFEST grew too large), and has every change since then. Does not open or lock the database,
 * which may be in use.
 */
public final class Manifest {
    private static final String CURRENT = "CURRENT";
    private static final int MAX_CURRENT_BYTES = 4096;
    /** Reads of CURRENT: a database in use may replace its MANIFEST after a read, but hardly three times in a row. */
    private static final int ATTEMPTS = 3;

    private Manifest() {}

    /** Whether a directory has the CURRENT file of a database. */
    public static boolean exists(Path database) {
        return Files.exists(database.resolve(CURRENT));
    }

    /**
     * Reads the history of all column families of a database. Times are those of file creation, in seconds; numbers of
     * entries are unknown.
     *
     * @param database its directory
     * @throws BadInputException when there is no database, or its MANIFEST is damaged; the message says at which byte
     */
    public static LsmHistory read(Path database) {
        if (!exists(database)) {
            throw new BadInputException(database + " is not a RocksDB database: it has no file " + CURRENT);
        }
        try {
            return read(database, ATTEMPTS);
        } catch (IOException e) {
            throw new OperationFailedException("cannot read the MANIFEST of " + database + ": " + e, e);
        }
    }

    private static LsmHistory read(Path database, int attempts) throws IOException {
        Path file = database.resolve(currentName(database));
        if (!Files.exists(file)) {
            if (attempts > 1) {
                return read(database, attempts - 1);
            }
            throw new BadInputException(database.resolve(CURRENT) + " names " + file.getFileName()
                    + ", and there is no such file; the database is damaged");
        }
        EditHistory history = new EditHistory();
        try (RecordLog log = new RecordLog(file)) {
            for (byte[] record = log.next(); record != null; record = log.next()) {
                history.add(decoded(file, log.recordOffset(), record));
            }
            List<String> notes = new ArrayList<>(history.notes());
            if (log.tornAt() >= 0) {
                notes.add(file.getFileName() + " ends in the middle of the record at byte " + log.tornAt()
                        + "; it was left out");
            }
            return new LsmHistory(history.entries(), notes);
        }
    }

    private static VersionEdit decoded(Path file, long offset, byte[] record) {
        try {
            return EditDecoder.decode(record);
        } catch (MalformedEdit e) {
            throw new BadInputException(
                    file + " is damaged: the version edit at byte " + offset + " " + e.getMessage(), e);
        }
    }

    private static String currentName(Path database) throws IOException {
        Path current = database.resolve(CURRENT);
        String name = Files.size(current) > MAX_CURRENT_BYTES
                ? ""
                : Files.readString(current).strip();
        if (!name.startsWith("MANIFEST-") || name.contains("/") || name.contains("\\")) {
            throw new BadInputException(current + " is damaged: it does not name a MANIFEST");
        }
        return name;
    }
}
