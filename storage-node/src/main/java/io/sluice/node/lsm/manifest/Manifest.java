package io.sluice.node.lsm.manifest;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.node.lsm.LsmHistory;
import io.sluice.node.lsm.manifest.Fields.MalformedEdit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the MANIFEST of a RocksDB database. It begins with the files that were live when the database was last opened
 * (or when the MANIFEST before grew too large), and holds every change since then. Opens and locks nothing, so that the
 * database may be in use.
 */
public final class Manifest {
    private static final String CURRENT = "CURRENT";
    private static final int MAX_CURRENT_BYTES = 4096;
    /** A database in use may replace its MANIFEST between two looks; nobody is as unlucky three times. */
    private static final int ATTEMPTS = 3;

    private Manifest() {}

    /** Whether a directory looks like a database. */
    public static boolean exists(Path database) {
        return Files.exists(database.resolve(CURRENT));
    }

    /**
     * What happened to every column family of a database. Times are when files were written, to the second; nothing
     * tells how many entries a file has.
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
        EditHistory story = new EditHistory();
        try (RecordLog log = new RecordLog(file)) {
            for (byte[] record = log.next(); record != null; record = log.next()) {
                story.tell(decoded(file, log.recordOffset(), record));
            }
            List<String> notes = new ArrayList<>(story.notes());
            if (log.tornAt() >= 0) {
                notes.add(file.getFileName() + " ends in the middle of the record at byte " + log.tornAt()
                        + "; it was left out");
            }
            return new LsmHistory(story.entries(), notes);
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
