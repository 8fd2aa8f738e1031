package io.sluice.model.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** File operations that survive a power cut, and removal of whole trees. */
public final class DurableFiles {
    private DurableFiles() {}

    /** Makes the entries of a directory durable: files created, renamed and removed in it. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Writes a file whole or not at all, for its owner only. */
    public static void writeAtomically(Path file, byte[] content) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try (FileChannel channel = OwnerOnly.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            syncDirectory(directory);
        }
    }

    /**
     * Moves a complete, synced file: renames it, or copies and syncs it when the target lies on another file system.
     * Does not sync the target's directory.
     *
     * @return bytes copied; 0 when it was renamed
     */
    public static long move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return 0;
        } catch (AtomicMoveNotSupportedException e) {
            Path part = to.resolveSibling(to.getFileName() + ".part");
            try {
                Files.copy(from, part, StandardCopyOption.REPLACE_EXISTING);
                sync(part);
                Files.move(part, to, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException failure) {
                // On a full disk, half a copy would keep it full.
                Files.deleteIfExists(part);
                throw failure;
            }
            Files.delete(from);
            return Files.size(to);
        }
    }

    /**
     * Removes a file or a directory with all that is in it, if it exists. Does not follow symbolic links. Another
     * process may remove the same files.
     */
    public static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                return deleted(file);
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null && !(failure instanceof NoSuchFileException)) {
                    throw failure;
                }
                return deleted(directory);
            }

            private FileVisitResult deleted(Path path) throws IOException {
                Files.deleteIfExists(path);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Lists the direct entries of a directory, sorted; empty when there is no directory. */
    public static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }
}
