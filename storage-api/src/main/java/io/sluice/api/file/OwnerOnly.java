package io.sluice.api.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and directories that only their owner can read and write (600 and 700), whatever the umask. They hold what
 * users import. On a file system without POSIX permissions they get its defaults.
 */
public final class OwnerOnly {
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private OwnerOnly() {}

    /**
     * Makes a directory, and those above it that are missing, and syncs the names of all that it makes. A directory
     * that exists keeps its permissions.
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
        try (FileChannel channel = FileChannel.open(parent, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Takes the permissions of all others from a directory that exists. */
    public static void restrict(Path directory) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(directory, PosixFileAttributeView.class);
        if (view != null && !view.readAttributes().permissions().equals(DIRECTORY)) {
            view.setPermissions(DIRECTORY);
        }
    }

    /** Opens a file, and makes it if the options say so. */
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
