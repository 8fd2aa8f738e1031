package io.sluice.node.ingest;

import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstCursor;
import io.sluice.engine.store.StoreErrors;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The staging directory of one import. Usable by several threads. */
final class Staging {
    private static final String SST_SUFFIX = ".sst";
    private static final int SHOWN_KEY_BYTES = 64;
    private static final String PART_SUFFIX = ".part";
    /** Suffix of the directory of an import whose files are being removed. */
    private static final String REMOVED_SUFFIX = ".removed";

    private final Path directory;
    private final TableKeys keys;

    private final FaultPoints faults;
    private final AtomicLong parts = new AtomicLong();
    private final AtomicLong bytesCopied = new AtomicLong();

    private Staging(Path directory, TableKeys keys, FaultPoints faults) {
        this.directory = directory;
        this.keys = keys;
        this.faults = faults;
    }

    /** The path of an import's staging directory. */
    static Path directory(Path allStaging, int importId) {
        return allStaging.resolve(Integer.toString(importId));
    }

    Path directory() {
        return directory;
    }

    /** Creates the directory if it does not exist. */
    static Staging create(Path allStaging, int importId, TableKeys keys, FaultPoints faults) {
        Path directory = directory(allStaging, importId);
        try {
            Files.createDirectories(directory);
            DurableFiles.syncDirectory(allStaging);
            return new Staging(directory, keys, faults);
        } catch (IOException e) {
            throw StoreErrors.failed("make " + directory, e);
        }
    }

    /** A new, never used name for the file of an SST in transfer. */
    Path newPart(UUID sst) {
        return directory.resolve(sst + "." + parts.incrementAndGet() + PART_SUFFIX);
    }

    /** The name of an SST's file in the directory. */
    static String fileName(UUID sst) {
        return sst + SST_SUFFIX;
    }

    /** The path of an SST's file, which need not exist. */
    Path path(UUID sst) {
        return directory.resolve(fileName(sst));
    }

    /** Removes all files except those with the given names. */
    void retain(Set<String> names) {
        try {
            for (Path file : DurableFiles.list(directory)) {
                if (!names.contains(String.valueOf(file.getFileName()))) {
                    DurableFiles.deleteTree(file);
                }
            }
        } catch (IOException e) {
            throw StoreErrors.failed("clean " + directory, e);
        }
    }

    /**
     * Takes over an SST: moves its file to staging and checks that it matches its description. Removes a file that does
     * not match; leaves one that cannot be moved.
     *
     * @return the SST with its path in staging
     * @throws OperationFailedException when it does not match, or cannot be moved
     */
    SstFile accept(SstFile sst) {
        Path target = path(sst.id());
        // An earlier call may have moved it and failed later.
        boolean moved = !Files.exists(sst.path()) && Files.exists(target);
        long copied = 0;
        try {
            if (!moved) {
                checkLength(sst, sst.path());
                copied = DurableFiles.move(sst.path(), target);
                moved = true;
            }
            faults.reached(FaultPoints.MOVED);
            checkLength(sst, target);
            checkContent(sst, target);
            faults.reached(FaultPoints.VERIFIED);
            bytesCopied.addAndGet(copied);
            return sst.at(target);
        } catch (IOException e) {
            OperationFailedException failed = StoreErrors.failed("stage SST " + sst.id(), e);
            throw moved ? discard(sst, target, failed) : failed;
        } catch (RuntimeException e) {
            throw discard(sst, target, e);
        }
    }

    /** Bytes that staging wrote to disk for accepted SSTs; renaming a file writes none. */
    long bytesCopied() {
        return bytesCopied.get();
    }

    /** The answer to an SST that was taken before. Deletes the second copy. */
    static ShipAnswer repeated(SstFile sst) {
        try {
            Files.deleteIfExists(sst.path());
        } catch (IOException e) {
            throw StoreErrors.failed("remove " + sst.path(), e);
        }
        return new ShipAnswer.Taken();
    }

    /** Moves an SST that was not ingested back to its source. */
    void giveBack(SstFile sst) {
        try {
            if (Files.exists(path(sst.id()))) {
                DurableFiles.move(path(sst.id()), sst.path());
            }
        } catch (IOException e) {
            throw StoreErrors.failed("give SST " + sst.id() + " back", e);
        }
    }

    private String describe(SstFile sst) {
        return "SST " + sst.id() + " with keys from " + shown(sst.smallestKey()) + " to " + shown(sst.largestKey())
                + " of " + keys.describe(sst.indexId());
    }

    private void checkLength(SstFile sst, Path file) throws IOException {
        long length = Files.size(file);
        if (length != sst.fileBytes()) {
            throw refused(sst, "it has " + length + " bytes and should have " + sst.fileBytes());
        }
    }

    private void checkContent(SstFile sst, Path file) {
        try (SstCursor cursor = verified(sst, file)) {
            if (cursor.deletions() != 0) {
                throw refused(sst, "it holds " + cursor.deletions() + " deletions");
            }
            long count = sst.sum().count();
            // Of a table with several column families, the count is that of rows, which have at least one KV each.
            boolean families = keys.table().def().families() > 1;
            if (families ? cursor.entries() < count : cursor.entries() != count) {
                throw refused(sst, "it holds " + cursor.entries() + " KVs and should hold " + count);
            }
            if (count == 0 || !cursor.valid()) {
                throw refused(sst, "it is empty");
            }
            checkKey(sst, "first", cursor.key(), sst.smallestKey());
            cursor.seekToLast();
            checkKey(sst, "last", cursor.key(), sst.largestKey());
            String problem = SampledBlocks.problem(keys.table(), keys.table().ordinal(sst.indexId()), sst, cursor);
            if (problem != null) {
                throw refused(sst, problem);
            }
        }
    }

    private SstCursor verified(SstFile sst, Path file) {
        try {
            return SstCursor.verified(file);
        } catch (OperationFailedException e) {
            throw new OperationFailedException(describe(sst) + ": " + e.getMessage(), e);
        }
    }

    /** A key for a message. */
    static String shown(byte[] key) {
        int most = Math.min(key.length, SHOWN_KEY_BYTES);
        return HexFormat.of().formatHex(key, 0, most) + (most < key.length ? "..." : "");
    }

    private void checkKey(SstFile sst, String which, byte[] actual, byte[] declared) {
        HexFormat hex = HexFormat.of();
        if (!Arrays.equals(actual, declared)) {
            throw refused(
                    sst,
                    "its " + which + " key is " + hex.formatHex(actual) + " and should be " + hex.formatHex(declared));
        }
        if (!keys.owns(sst.indexId(), actual)) {
            throw refused(
                    sst,
                    "its " + which + " key " + hex.formatHex(actual) + " is none of " + keys.describe(sst.indexId()));
        }
    }

    private OperationFailedException refused(SstFile sst, String why) {
        return new OperationFailedException(
                describe(sst) + " was refused: " + why + "; it was damaged in transfer, or is not of this import");
    }

    /** Removes a refused file from its source and from staging. */
    private static RuntimeException discard(SstFile sst, Path target, RuntimeException why) {
        for (Path path : new Path[] {sst.path(), target}) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                why.addSuppressed(e);
            }
        }
        return why;
    }

    /** Makes the names of all files staged so far durable. */
    void sync() {
        try {
            DurableFiles.syncDirectory(directory);
        } catch (IOException e) {
            throw StoreErrors.failed("sync " + directory, e);
        }
    }

    /**
     * Removes the directory of an import with its content. Renames it first: a process that ends in between leaves no
     * directory with a part of the files, which a later attempt would take for all of them.
     */
    static void remove(Path allStaging, int importId) {
        Path directory = directory(allStaging, importId);
        Path removed = directory.resolveSibling(importId + REMOVED_SUFFIX);
        try {
            DurableFiles.deleteTree(removed);
            if (Files.isDirectory(directory)) {
                Files.move(directory, removed, StandardCopyOption.ATOMIC_MOVE);
                DurableFiles.syncDirectory(allStaging);
                DurableFiles.deleteTree(removed);
            }
        } catch (IOException e) {
            throw StoreErrors.failed("remove " + directory, e);
        }
    }
}
