package io.sluice.cli.export;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The destination of an export: one file, or a directory of parts with a manifest. Files have temporary names until the
 * whole export is done; the manifest comes last. So files without a manifest are not an export.
 *
 * @param path the file or the directory
 * @param directory whether it is a directory
 * @param overwrite whether the files of an earlier export are replaced
 */
public record ExportTarget(Path path, boolean directory, boolean overwrite) {
    static final String MANIFEST = "manifest.json";
    static final String SCHEMA = "schema.sql";

    private static final String TEMPORARY = ".part";
    /** The files of an export, also of one that was interrupted. */
    private static final Pattern OWN = Pattern.compile(
            "part-\\d{5}\\.(csv|jsonl|avro|parquet)(\\.part)?|(manifest\\.json|schema\\.sql)(\\.part)?");

    /** Suffixes that would promise a compression. */
    private static final Pattern COMPRESSED = Pattern.compile(".*\\.(gz|bz2|xz|zst|lz4|sz|snappy|zip)");

    /**
     * Understands the text of {@code --to}.
     *
     * @param parts whether a number of parts was given, which only a directory can take
     * @throws BadInputException if it is an address, or names a compressed file
     */
    public static ExportTarget of(String to, boolean parts, boolean overwrite) {
        if (to.matches("[a-z][a-z0-9+.-]+://.*")) {
            throw new BadInputException("--to " + to
                    + ": an export goes to local files only; export to a directory and copy it, for example with"
                    + " aws s3 cp --recursive");
        }
        Path path = Path.of(to);
        boolean directory = parts || to.endsWith("/") || Files.isDirectory(path);
        if (directory && Files.exists(path) && !Files.isDirectory(path)) {
            throw new BadInputException("--to " + to + ": is a file; --parts needs a directory");
        }
        if (!directory && COMPRESSED.matcher(to).matches()) {
            throw new BadInputException("--to " + to
                    + ": text is written without compression; leave the suffix away, or use --format parquet");
        }
        return new ExportTarget(path, directory, overwrite);
    }

    /**
     * Creates what is missing and removes an earlier export, the manifest first.
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
            OwnerOnly.createDirectories(path);
            List<Path> there = DurableFiles.list(path);
            if (!there.isEmpty() && !overwrite) {
                throw new BadInputException(
                        "--to " + path + ": holds " + there.get(0).getFileName()
                                + (there.size() == 1 ? "" : " and more")
                                + "; name an empty directory, or add --overwrite to replace an export");
            }
            Files.deleteIfExists(path.resolve(MANIFEST));
            DurableFiles.syncDirectory(path);
            for (Path file : there) {
                if (OWN.matcher(file.getFileName().toString()).matches()) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    /** The file of a part, from 0. */
    Path file(int part, ExportFormat format) {
        return directory ? path.resolve(String.format("part-%05d.%s", part, format.label())) : path;
    }

    /** The name of a file until the export is done. */
    static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + TEMPORARY);
    }

    /** Creates a file by its temporary name, for its owner only. An exit of the process removes it. */
    static FileChannel create(Path file) {
        Path temporary = temporary(file);
        try {
            FileChannel channel = OwnerOnly.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
            temporary.toFile().deleteOnExit();
            return channel;
        } catch (IOException e) {
            throw failed(temporary, e);
        }
    }

    /** Gives finished, synced files their names, then writes the manifest if this is a directory. */
    void publish(List<Path> files, ExportManifest manifest) {
        Path at = path;
        try {
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

    /** Removes unfinished files, as far as possible. */
    static void discard(List<Path> files) {
        for (Path file : files) {
            // One that stays has a name that says it is unfinished.
            boolean unused = temporary(file).toFile().delete();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static OperationFailedException failed(Path file, IOException e) {
        return new OperationFailedException(
                "cannot write " + file + ": " + e.getClass().getSimpleName() + ": " + e.getMessage()
                        + "; check the directory, its permissions and its free space",
                e);
    }
}
