package io.sluice.importer.journal;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.file.OwnerOnly;
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
 * KVs of one import that were encoded and that nodes do not have for good, in files of one directory, one file for each
 * flush group. A file whose group is done is written over by the next one: so its pages stay in the page cache, and
 * little of them ever gets to a disk.
 *
 * <p>Nothing is synced. A process that is killed loses nothing of what it has written; what a machine that dies has not
 * brought to its disk is found out by checksums, and read from the input again. A journal that cannot be written is
 * given up, which costs nothing but that either.
 *
 * <p>Usable by several threads; writers are not.
 */
public final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".kvs";

    private final Path directory;
    private final Frames.Owner owner;
    private final int mostFiles;
    private final Consumer<String> onFailure;
    private final List<JournalFile> all = new ArrayList<>();
    private final List<JournalFile> left = new ArrayList<>();
    private final Deque<JournalFile> free = new ArrayDeque<>();
    private boolean failed;

    private Journal(Path directory, Frames.Owner owner, int mostFiles, Consumer<String> onFailure) {
        this.directory = directory;
        this.owner = owner;
        this.mostFiles = mostFiles;
        this.onFailure = onFailure;
    }

    /**
     * Opens the journal of an import, with what an earlier attempt has left in it.
     *
     * @param directory of its own; made when it is not there
     * @param importId names the import
     * @param tableId of the table that its keys belong to; what was written for another one is forgotten
     * @param mostFiles how many groups may be journaled at once
     * @param onFailure told once, in a sentence, when the journal cannot be written
     * @throws OperationFailedException when the directory cannot be made or read
     */
    public static Journal open(Path directory, UUID importId, long tableId, int mostFiles, Consumer<String> onFailure) {
        Journal journal = new Journal(directory, new Frames.Owner(importId, tableId), mostFiles, onFailure);
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

    /** Files that an earlier attempt has left, to be read and released. */
    public List<JournalFile> left() {
        return List.copyOf(left);
    }

    /** A writer for one worker. */
    public JournalWriter writer() {
        return new JournalWriter(this);
    }

    Frames.Owner owner() {
        return owner;
    }

    /** A file to write to; null when all are in use, or cannot be written. */
    synchronized @Nullable JournalFile free() {
        if (failed) {
            return null;
        }
        JournalFile file = free.poll();
        try {
            if (file == null && all.size() < mostFiles) {
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

    /** The one that was written last is the next to be: its pages are there. */
    synchronized void released(JournalFile file) {
        free.push(file);
    }

    synchronized void failed(IOException e) {
        // Who is asked to stop is interrupted, wherever he is.
        if (!failed && !(e instanceof ClosedByInterruptException)) {
            onFailure.accept(directory + ": the journal cannot be written (" + e.getMessage()
                    + "); if the import is cut off now, more of the input is read again");
        }
        failed = true;
    }

    /** Closes all files and keeps what is in them. */
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

    /** Removes a journal, if there is one; its import has come to an end. */
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
