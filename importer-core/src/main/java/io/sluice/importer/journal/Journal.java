package io.sluice.importer.journal;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps encoded KVs of one import that nodes do not have durably, in one file per checkpoint unit. The next unit
 * overwrites the file of a completed one. So its pages stay in the page cache, and little of them ever reaches a disk.
 *
 * <p>Nothing is synced. A killed process loses nothing that it has written. After a machine crash, checksums show what
 * did not reach the disk; the import reads it from the input again. If the journal cannot be written, the import
 * continues without it.
 *
 * <p>Usable by several threads; each writer is for one thread.
 */
public final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".kvs";

    private final Path directory;
    private final Frames.Owner owner;
    private final int maxFiles;
    private final Consumer<String> onFailure;
    private final List<JournalFile> all = new ArrayList<>();
    private final List<JournalFile> left = new ArrayList<>();
    private final Deque<JournalFile> free = new ArrayDeque<>();
    private boolean failed;

    private Journal(Path directory, Frames.Owner owner, int maxFiles, Consumer<String> onFailure) {
        this.directory = directory;
        this.owner = owner;
        this.maxFiles = maxFiles;
        this.onFailure = onFailure;
    }

    /**
     * Opens the journal of an import, with the files that an earlier attempt has left.
     *
     * @param directory the journal's own directory; created if missing
     * @param importId id of the import
     * @param tableId id of the table that the keys belong to; files of another table are not read
     * @param maxFiles most checkpoint units that are journaled at once
     * @param onFailure receives one sentence, once, if the journal cannot be written
     * @throws OperationFailedException when the directory cannot be created or read
     */
    public static Journal open(Path directory, UUID importId, long tableId, int maxFiles, Consumer<String> onFailure) {
        Journal journal = new Journal(directory, new Frames.Owner(importId, tableId), maxFiles, onFailure);
        try {
            OwnerOnly.createDirectories(directory);
            journal.find();
            return journal;
        } catch (IOException e) {
            journal.close();
            throw new OperationFailedException(directory + ": the journal cannot be opened: " + e.getMessage(), e);
        }
    }

    private void find() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path path : files) {
                JournalFile file = new JournalFile(this, path);
                all.add(file);
                (file.isOf(owner) ? left : free).add(file);
            }
        }
    }

    /** Files that an earlier attempt has left. The caller reads and releases them. */
    public List<JournalFile> left() {
        return List.copyOf(left);
    }

    /** Creates a writer for one worker. */
    public JournalWriter writer() {
        return new JournalWriter(this);
    }

    Frames.Owner owner() {
        return owner;
    }

    /** Takes a free file; null if all are in use or writing has failed. */
    synchronized @Nullable JournalFile free() {
        if (failed) {
            return null;
        }
        JournalFile file = free.poll();
        try {
            if (file == null && all.size() < maxFiles) {
                file = new JournalFile(this, directory.resolve(all.size() + SUFFIX));
                all.add(file);
            }
        } catch (IOException e) {
            failed(e);
        }
        if (file != null) {
            file.begin();
        }
        return file;
    }

    /** Puts a file back. The last one released is the next to be used, since its pages are still cached. */
    synchronized void released(JournalFile file) {
        free.push(file);
    }

    synchronized void failed(IOException e) {
        // The interrupt of a requested stop is no failure of the journal.
        if (!failed && !(e instanceof ClosedByInterruptException)) {
            onFailure.accept(directory + ": the journal cannot be written (" + e.getMessage()
                    + "); if the import is interrupted now, more of the input is read again");
        }
        failed = true;
    }

    /** Closes all files and keeps their contents. */
    @Override
    public synchronized void close() {
        for (JournalFile file : all) {
            try {
                file.close();
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    /** Deletes the journal of a finished import, if there is one. */
    public static void delete(Path directory) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new OperationFailedException(directory + ": the journal cannot be removed: " + e.getMessage(), e);
        }
    }
}
