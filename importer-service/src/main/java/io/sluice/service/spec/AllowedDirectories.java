package io.sluice.service.spec;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directories below which the service may read files. It follows links that stay below a root. It opens a file step
 * by step from the handle of its root, and no step may be a link by then. So a path that changes between check and open
 * cannot lead elsewhere.
 */
final class AllowedDirectories {
    /** Entries that a listing has; more do not help a reader, who names a glob. */
    private static final int MOST_LISTED = 1_000;

    /** Entries of a directory that are read, so that a huge one takes no more than a second or so. */
    private static final int MOST_ENTRIES = 10_000;

    private final List<Path> roots = new ArrayList<>();

    /**
     * Adds a root.
     *
     * @throws BadInputException if the directory does not exist
     */
    void add(String root) {
        try {
            roots.add(Path.of(root).toRealPath());
        } catch (IOException | InvalidPathException e) {
            throw new BadInputException("--allow-root " + root + ": there is no such directory", e);
        }
    }

    /** All roots, for messages. */
    List<String> names() {
        return roots.stream().map(Path::toString).toList();
    }

    List<RootListing.Entry> entries() {
        return roots.stream().map(root -> entry(root, root.toString())).toList();
    }

    /**
     * Lists a directory: what leads out of the roots, and what is neither file nor directory, is left out.
     *
     * @throws BadInputException if it is not below a root, or no directory
     */
    RootListing list(String path) {
        List<RootListing.Entry> entries = new ArrayList<>();
        Path real;
        boolean more = false;
        try {
            Path named = Path.of(path);
            // A path that does not exist is checked, too: clients do not learn what exists elsewhere.
            boolean below =
                    named.isAbsolute() && root(SourceRoots.existing(named).toRealPath()) != null;
            real = below ? named.toRealPath() : named;
            if (!below || root(real) == null) {
                throw new BadInputException(path + ": is not below an allowed directory" + SourceRoots.HINT);
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(real)) {
                for (Path file : files) {
                    if (entries.size() == MOST_ENTRIES) {
                        more = true;
                        break;
                    }
                    if ((Files.isDirectory(file) || Files.isRegularFile(file)) && root(file.toRealPath()) != null) {
                        entries.add(entry(file, file.getFileName().toString()));
                    }
                }
            }
        } catch (IOException | InvalidPathException e) {
            throw new BadInputException(path + ": is no directory that the service can list", e);
        }
        entries.sort(Comparator.comparing(RootListing.Entry::kind).thenComparing(RootListing.Entry::name));
        Path parent = real.getParent();
        return new RootListing(
                real.toString(),
                parent != null && root(parent) != null ? parent.toString() : null,
                entries.subList(0, Math.min(MOST_LISTED, entries.size())),
                more || entries.size() > MOST_LISTED);
    }

    private static RootListing.Entry entry(Path file, String name) {
        boolean directory = Files.isDirectory(file);
        try {
            return new RootListing.Entry(
                    name,
                    file.toString(),
                    directory ? "directory" : "file",
                    directory ? 0 : Files.size(file),
                    Files.getLastModifiedTime(file).toInstant());
        } catch (IOException e) {
            // The file was removed meanwhile.
            return new RootListing.Entry(name, file.toString(), directory ? "directory" : "file", 0, Instant.EPOCH);
        }
    }

    /** Whether a path with all links resolved is below a root. */
    boolean isBelow(Path real) {
        return root(real) != null;
    }

    private @Nullable Path root(Path real) {
        return roots.stream().filter(real::startsWith).findFirst().orElse(null);
    }

    /**
     * Opens a file.
     *
     * @throws BadInputException if it is not below a root
     * @throws IOException if it cannot be opened, or was replaced meanwhile
     */
    ReadableByteChannel open(Path file) throws IOException {
        Path real = file.toRealPath();
        Path root = root(real);
        if (root == null) {
            throw new BadInputException(file + " leads out of the allowed directories" + SourceRoots.HINT);
        }
        try (DirectoryStream<Path> top = Files.newDirectoryStream(root)) {
            if (!(top instanceof SecureDirectoryStream<Path> directory)) {
                throw new IOException(
                        "this platform cannot open files relative to a directory, which --allow-root of a directory"
                                + " needs");
            }
            return open(directory, root.relativize(real), 0);
        }
    }

    private static ReadableByteChannel open(SecureDirectoryStream<Path> directory, Path path, int step)
            throws IOException {
        Path name = path.getName(step);
        if (step == path.getNameCount() - 1) {
            return directory.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        }
        try (SecureDirectoryStream<Path> below = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            return open(below, path, step + 1);
        }
    }
}
