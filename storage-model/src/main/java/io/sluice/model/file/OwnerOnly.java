package io.sluice.model.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates files and directories that only their owner can read and write (modes 600 and 700), whatever the umask. They
 * hold users' data. A file system without POSIX permissions applies its defaults.
 */
public final class OwnerOnly {
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private OwnerOnly() {}

    /**
     * Creates a directory and its missing parents, and syncs the directory entry of each. An existing directory keeps
     * its permissions.
     */
    public static void createDirectories(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent == null) {
            return;
        }
        createDirectories(parent);
        try {
            Files.createDirectory(directory, attributes(parent, DIRECTORY));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
        DurableFiles.syncDirectory(parent);
    }

    /**
     * Creates a directory, and syncs its entry. Of several processes that create it at once, one succeeds.
     *
     * @throws FileAlreadyExistsException if there is a file or directory of this name
     */
    public static void createDirectory(Path directory) throws IOException {
        Path parent = directory.toAbsolutePath().resolveSibling("");
        Files.createDirectory(directory, attributes(parent, DIRECTORY));
        DurableFiles.syncDirectory(parent);
    }

    /** Sets the mode of an existing directory to 700. */
    public static void restrict(Path directory) throws IOException {
        restrict(directory, DIRECTORY);
    }

    /** Sets the mode of an existing file to 600. */
    public static void restrictFile(Path file) throws IOException {
        restrict(file, FILE);
    }

    private static void restrict(Path path, Set<PosixFilePermission> permissions) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view != null && !view.readAttributes().permissions().equals(permissions)) {
            view.setPermissions(permissions);
        }
    }

    /** Opens a file; creates it with mode 600 if the options ask for creation. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        return FileChannel.open(file, Set.of(options), attributes(parent == null ? file : parent, FILE));
    }

    private static FileAttribute<?>[] attributes(Path directory, Set<PosixFilePermission> permissions) {
        boolean posix = Files.getFileAttributeView(directory, PosixFileAttributeView.class) != null;
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }
}
