package io.sluice.engine.store;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.model.error.BadInputException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A store's directory on disk, locked by this process:
 *
 * <pre>
 *   sluice-store.json  marks a store, with its format version; written last on creation
 *   LOCK               locked by the process that uses the store; holds its process id
 *   db/                RocksDB
 *   staging/           SSTs received and not ingested yet
 *   lsm-events.jsonl   events of the LSM trees, for people
 *   work/              temporary files of an importer in this process; emptied when the store is opened
 *   damaged-log-N/     copies of a write-ahead log whose loss was accepted
 * </pre>
 */
public final class StoreDirectory implements AutoCloseable {
    private static final String MARKER = "sluice-store.json";
    private static final String PART = ".part";
    private static final String DB = "db";
    private static final String STAGING = "staging";
    private static final String WORK = "work";
    private static final String DAMAGED_LOG = "damaged-log-";
    private static final String FORMAT = "sluice-store";
    /** The version of a new store. */
    private static final int FIRST_VERSION = 1;
    /** The latest version that this build reads. */
    private static final int VERSION = 3;
    /** Names that an interrupted creation can leave. */
    private static final Set<String> OWN_NAMES = Set.of(StoreLock.FILE_NAME, DB, STAGING, WORK, MARKER, MARKER + PART);

    private static final ObjectMapper JSON = new ObjectMapper();

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Marker(String format, int version) {}

    private final Path root;
    private final StoreLock lock;
    /** State of the place before; another process may have created the store since. */
    private final Before before;

    private boolean created;
    private int version = FIRST_VERSION;

    /** State of the place of a store before it is opened. */
    private enum Before {
        NOTHING,
        EMPTY_DIRECTORY,
        /** A store, or an unfinished one. */
        STORE
    }

    private StoreDirectory(Path root, StoreLock lock, Before before) {
        this.root = root;
        this.lock = lock;
        this.before = before;
    }

    /**
     * Locks and opens a store's directory.
     *
     * @param create whether to create a store where there is none
     * @throws BadInputException when there is no store, the directory holds other files, or another process uses it
     */
    public static StoreDirectory open(Path root, boolean create) {
        try {
            Before before = check(root, create);
            OwnerOnly.createDirectories(root);
            StoreDirectory directory = new StoreDirectory(root, lock(root, before), before);
            try {
                directory.prepare();
                return directory;
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw StoreErrors.failed("open the store " + root, e);
        }
    }

    private static StoreLock lock(Path root, Before before) throws IOException {
        try {
            return StoreLock.take(root);
        } catch (RuntimeException e) {
            if (before == Before.NOTHING) {
                deleteIfEmpty(root);
            }
            throw e;
        }
    }

    private static Before check(Path root, boolean create) throws IOException {
        if (!Files.exists(root)) {
            if (!create) {
                throw new BadInputException(
                        "there is no store at " + root + "; check the path, or import a table to make one");
            }
            return Before.NOTHING;
        }
        if (!Files.isDirectory(root)) {
            throw new BadInputException(root + " is a file, not a Sluice store; name a directory");
        }
        if (Files.exists(root.resolve(MARKER))) {
            return Before.STORE;
        }
        List<String> names = DurableFiles.list(root).stream()
                .map(path -> path.getFileName().toString())
                .toList();
        // An interrupted creation left the lock file and only our own names: continue it.
        boolean interrupted = names.contains(StoreLock.FILE_NAME) && OWN_NAMES.containsAll(names);
        if (!names.isEmpty() && !interrupted) {
            throw new BadInputException(root + " is not a Sluice store and not empty (it holds " + names.get(0)
                    + "); name an empty or a new directory");
        }
        if (!create) {
            throw new BadInputException(root + " is not a Sluice store: it is empty; import a table to make one");
        }
        return interrupted ? Before.STORE : Before.EMPTY_DIRECTORY;
    }

    private void prepare() throws IOException {
        Path marker = root.resolve(MARKER);
        created = Files.exists(marker);
        if (created) {
            checkVersion(Files.readAllBytes(marker));
            if (!Files.isDirectory(db())) {
                throw new BadInputException("the store " + root + " is damaged: its directory " + DB
                        + " is gone; restore it, or remove the store and import again");
            }
        }
        DurableFiles.deleteTree(work());
        for (Path directory : List.of(db(), staging(), work())) {
            OwnerOnly.createDirectories(directory);
            // RocksDB creates files with the permissions of the umask; the directory's permissions protect them.
            OwnerOnly.restrict(directory);
        }
    }

    private void checkVersion(byte[] content) throws IOException {
        Marker marker;
        try {
            marker = JSON.readValue(content, Marker.class);
        } catch (JsonProcessingException e) {
            throw new BadInputException(root.resolve(MARKER) + " is damaged: it is no JSON that describes a store", e);
        }
        if (!FORMAT.equals(marker.format())) {
            throw new BadInputException(root + " is not a Sluice store: " + MARKER + " says " + marker.format());
        }
        if (marker.version() > VERSION) {
            throw new BadInputException("the store " + root + " has format version " + marker.version()
                    + ", this Sluice knows up to " + VERSION + "; use a newer one");
        }
        version = marker.version();
    }

    /** Marks the directory as a store, after everything else in it was created. */
    public void markCreated() {
        if (created) {
            return;
        }
        try {
            write(version);
            created = true;
        } catch (IOException e) {
            throw StoreErrors.failed("make the store " + root, e);
        }
    }

    private void write(int formatVersion) throws IOException {
        DurableFiles.writeAtomically(root.resolve(MARKER), JSON.writeValueAsBytes(new Marker(FORMAT, formatVersion)));
    }

    /**
     * Raises the format version of the store durably, before it gets something that builds of an earlier version cannot
     * read. No effect if the store has this version or a later one.
     */
    public synchronized void raiseVersion(int needed) {
        if (needed <= version) {
            return;
        }
        try {
            write(needed);
            version = needed;
        } catch (IOException e) {
            throw StoreErrors.failed("raise the format version of the store " + root, e);
        }
    }

    /** The root of the store's directory. */
    public Path root() {
        return root;
    }

    /** The directory of RocksDB. */
    public Path db() {
        return root.resolve(DB);
    }

    /** The directory of staged SSTs; on the file system of {@link #db}. */
    public Path staging() {
        return root.resolve(STAGING);
    }

    /** The directory for temporary files of an importer in this process. */
    public Path work() {
        return root.resolve(WORK);
    }

    /** An unused directory name, for copies of a damaged write-ahead log. */
    public Path newDamagedLog() {
        int number = 1;
        while (Files.exists(root.resolve(DAMAGED_LOG + number))) {
            number++;
        }
        return root.resolve(DAMAGED_LOG + number);
    }

    /** Unlocks the store. Removes one that this process has begun to create and not finished. */
    @Override
    public void close() {
        if (!created && before != Before.STORE) {
            removeUnfinished();
        }
        lock.close();
    }

    private void removeUnfinished() {
        try {
            Files.deleteIfExists(root.resolve(MARKER));
            Files.deleteIfExists(root.resolve(MARKER + PART));
            for (Path directory : List.of(db(), staging(), work())) {
                DurableFiles.deleteTree(directory);
            }
            Files.deleteIfExists(root.resolve(StoreLock.FILE_NAME));
            if (before == Before.NOTHING) {
                deleteIfEmpty(root);
            }
        } catch (IOException e) {
            // The next one that opens the store continues its creation.
            return;
        }
    }

    private static void deleteIfEmpty(Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            // Another process has begun a store there.
            return;
        }
    }
}
