package io.sluice.cli.export;

import io.sluice.importer.source.remote.ObjectFolder;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.LockFile;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The destination of an export: one file, or a directory or an object store with parts and a manifest. Files have
 * temporary names until the whole export is done; objects are there whole or not at all. The manifest comes last. So
 * files without a manifest are not an export.
 *
 * @param path the file or the directory; for an object store, a directory of files on their way there
 * @param directory whether it is a directory
 * @param overwrite whether the files of an earlier export are replaced
 * @param objects the object store; null for files
 */
public record ExportTarget(
        Path path,
        boolean directory,
        boolean overwrite,
        @Nullable ObjectFolder objects) {
    static final String MANIFEST = "manifest.json";
    static final String SCHEMA = "schema.sql";

    private static final String TEMPORARY = ".part";

    /** File in a directory that the export locks which writes there. */
    private static final String CLAIM = ".export" + TEMPORARY;

    /** The files of an export, without those that one was interrupted at. */
    private static final Pattern OWN =
            Pattern.compile("part-\\d{5}\\.(csv|jsonl|avro|parquet)|manifest\\.json|schema\\.sql");

    /** Suffixes that would promise a compression. */
    private static final Pattern COMPRESSED = Pattern.compile(".*\\.(gz|bz2|xz|zst|lz4|sz|snappy|zip)");

    /**
     * Understands the text of {@code --to}.
     *
     * @param parts whether a number of parts was given, which no single file can take
     * @param s3 object store of {@code s3://} addresses
     * @throws BadInputException if it is another address, or names a compressed file
     */
    public static ExportTarget of(String to, boolean parts, boolean overwrite, S3Settings s3) {
        if (to.startsWith("s3://")) {
            Path local = Path.of(System.getProperty("java.io.tmpdir")).resolve("sluice-export-" + UUID.randomUUID());
            return new ExportTarget(local, true, overwrite, new ObjectFolder(to, s3));
        }
        if (to.matches("[a-z][a-z0-9+.-]+://.*")) {
            throw new BadInputException("--to " + to + ": an export goes to local files or to s3://BUCKET/PREFIX");
        }
        if (to.isEmpty()) {
            throw new BadInputException("--to: is empty; name a file, a directory or s3://BUCKET/PREFIX");
        }
        if (to.equals("-")) {
            throw new BadInputException(
                    "--to -: an export goes to files; 'sluice scan' prints rows on standard output");
        }
        Path path = Path.of(to);
        boolean directory = parts || to.endsWith("/") || Files.isDirectory(path);
        if (directory && Files.exists(path) && !Files.isDirectory(path)) {
            throw new BadInputException("--to " + to + ": is a file; --parts needs a directory");
        }
        if (!directory && Files.exists(path) && !Files.isRegularFile(path)) {
            // The finished file is renamed to it, which would replace /dev/null.
            throw new BadInputException("--to " + to + ": is no regular file; name a file or a directory");
        }
        if (!directory && COMPRESSED.matcher(to).matches()) {
            throw new BadInputException("--to " + to
                    + ": text is written without compression; leave the suffix away, or use --format parquet");
        }
        return new ExportTarget(path, directory, overwrite, null);
    }

    @Override
    public String toString() {
        return objects == null ? path.toString() : objects.toString();
    }

    /**
     * Takes the target for one export, until the claim is closed. Two exports would replace each other's files.
     *
     * @param files the files to write; an exit of the process removes those that are unfinished
     * @throws BadInputException if another export has it
     */
    Claim claim(List<Path> files) {
        try {
            if (objects != null) {
                return new Claim(null, null, files);
            }
            if (directory) {
                OwnerOnly.createDirectories(path);
                return Claim.of(path.resolve(CLAIM), this, files);
            }
            return Claim.of(path.resolveSibling("." + path.getFileName() + TEMPORARY), this, files);
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    /**
     * The right to write to a target: a locked, hidden file. Closing it removes the file; that of a killed process
     * stays without a lock, and the next export takes it.
     */
    static final class Claim implements AutoCloseable {
        private static final int MOST_TRIES = 100;

        private final @Nullable Path file;
        private final @Nullable FileChannel channel;
        private final List<Path> written;
        private final Thread atExit = new Thread(this::abandon, "sluice-export-exit");

        private Claim(@Nullable Path file, @Nullable FileChannel channel, List<Path> written) {
            this.file = file;
            this.channel = channel;
            this.written = List.copyOf(written);
            Runtime.getRuntime().addShutdownHook(atExit);
        }

        private static Claim of(Path file, ExportTarget target, List<Path> written) throws IOException {
            for (int tries = 0; tries < MOST_TRIES; tries++) {
                FileChannel channel = OwnerOnly.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                if (!LockFile.lock(channel)) {
                    channel.close();
                    break;
                }
                if (LockFile.isAt(file, channel)) {
                    return new Claim(file, channel, written);
                }
                // Another export has ended and removed the file since it was opened.
                channel.close();
            }
            throw new BadInputException(
                    "--to " + target + ": another export writes there; wait until it ends, or name another place");
        }

        private void abandon() {
            written.forEach(ExportTarget::deleteTemporary);
            release();
        }

        private void release() {
            try (channel) {
                if (file != null) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                // The file stays, without a lock.
                return;
            }
        }

        @Override
        public void close() {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                // The process is ending, and removes the files.
                return;
            }
            release();
        }
    }

    /**
     * Creates what is missing, and removes the remains of an interrupted export. From an object store it also removes
     * an earlier export, the manifest first, since objects have their own names at once.
     *
     * @throws BadInputException if there are files and {@code overwrite} is off
     */
    void prepare() {
        try {
            if (!directory) {
                if (Files.exists(path) && !overwrite) {
                    throw new BadInputException("--to " + path + ": exists; name another file, or add --overwrite");
                }
                return;
            }
            if (objects != null) {
                prepare(objects);
                OwnerOnly.createDirectories(path);
                return;
            }
            OwnerOnly.createDirectories(path);
            List<Path> there = DurableFiles.list(path).stream()
                    .filter(file -> !name(file).equals(CLAIM))
                    .toList();
            ensureFree(there.stream().map(ExportTarget::name).toList());
            for (Path file : there) {
                if (isRemains(name(file))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    private void prepare(ObjectFolder folder) {
        List<String> there = List.copyOf(folder.list().keySet());
        ensureFree(there);
        folder.delete(MANIFEST);
        there.stream()
                .filter(name -> OWN.matcher(name).matches() || isRemains(name))
                .forEach(folder::delete);
    }

    /** Whether a name is the temporary one of a file of an export. */
    private static boolean isRemains(String name) {
        return name.endsWith(TEMPORARY)
                && OWN.matcher(name.substring(0, name.length() - TEMPORARY.length()))
                        .matches();
    }

    private void ensureFree(List<String> names) {
        if (!names.isEmpty() && !overwrite) {
            throw new BadInputException("--to " + this + ": holds " + names.get(0)
                    + (names.size() == 1 ? "" : " and more") + "; name an empty "
                    + (objects == null ? "directory" : "prefix") + ", or add --overwrite to replace an export");
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    /** The file of a part, from 0. */
    Path file(int part, ExportFormat format) {
        return directory ? path.resolve(String.format("part-%05d.%s", part, format.label())) : path;
    }

    /** The name of a file until the export is done. */
    static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + TEMPORARY);
    }

    /** Creates a file by its temporary name, for its owner only. */
    static FileChannel create(Path file) {
        Path temporary = temporary(file);
        try {
            return OwnerOnly.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw failed(temporary, e);
        }
    }

    /** Takes a finished, synced file. An object store gets it at once, so that the disk holds unfinished files only. */
    void take(Path file) {
        if (objects != null) {
            try {
                objects.put(name(file), temporary(file));
                Files.delete(temporary(file));
            } catch (IOException e) {
                throw failed(temporary(file), e);
            }
        }
    }

    /**
     * Removes an earlier export, the manifest first; gives the files that were taken their names, then writes the
     * manifest unless this is a single file.
     */
    void publish(List<Path> files, ExportManifest manifest) {
        Path at = path;
        try {
            if (objects != null) {
                objects.put(SCHEMA, bytes(manifest.ddl()));
                objects.put(MANIFEST, bytes(manifest.json() + "\n"));
                DurableFiles.deleteTree(path);
                return;
            }
            if (directory) {
                removeEarlier();
            }
            for (Path file : files) {
                at = file;
                DurableFiles.move(temporary(file), file);
            }
            at = path;
            if (directory) {
                DurableFiles.writeAtomically(path.resolve(SCHEMA), bytes(manifest.ddl()));
                DurableFiles.syncDirectory(path);
                DurableFiles.writeAtomically(path.resolve(MANIFEST), bytes(manifest.json() + "\n"));
            } else {
                Path parent = path.toAbsolutePath().getParent();
                if (parent != null) {
                    DurableFiles.syncDirectory(parent);
                }
            }
        } catch (IOException e) {
            throw failed(at, e);
        }
    }

    private void removeEarlier() throws IOException {
        if (Files.deleteIfExists(path.resolve(MANIFEST))) {
            DurableFiles.syncDirectory(path);
        }
        for (Path file : DurableFiles.list(path)) {
            if (OWN.matcher(name(file)).matches()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Removes the files of an export that failed, as far as possible. */
    void discard(List<Path> files) {
        files.forEach(ExportTarget::deleteTemporary);
        if (objects != null) {
            boolean unused = path.toFile().delete();
            discard(objects, files);
        }
    }

    private static void deleteTemporary(Path file) {
        // One that stays has a name that says it is unfinished.
        boolean unused = temporary(file).toFile().delete();
    }

    private static void discard(ObjectFolder folder, List<Path> files) {
        try {
            files.forEach(file -> folder.delete(name(file)));
        } catch (SluiceException e) {
            // Without a manifest they are no export; --overwrite removes them.
            return;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static SluiceException failed(Path file, IOException e) {
        return Reasons.ofPlace(
                "cannot write " + file + ": " + Reasons.ofFile(file, e)
                        + "; check the directory, its permissions and its free space",
                e);
    }
}
