package io.sluice.importer.source.origin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * One version of a local file. A file that was written to, replaced or renamed over has another one.
 *
 * @param sizeBytes its length
 * @param modified time of its last change
 * @param inode number of the file in its file system; 0 where the file system has none
 */
public record FileVersion(long sizeBytes, FileTime modified, long inode) {
    /** The version of the regular file at a path now; null when there is none. */
    public static @Nullable FileVersion find(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            if (!found.isRegularFile()) {
                return null;
            }
            return new FileVersion(found.size(), found.lastModifiedTime(), inode(path));
        } catch (IOException e) {
            // Whoever opens the file is told why it cannot be.
            return null;
        }
    }

    private static long inode(Path path) throws IOException {
        boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
        return unix && Files.getAttribute(path, "unix:ino") instanceof Long inode ? inode : 0;
    }

    /** Time and inode; the length has a place of its own wherever inputs are described. */
    @Override
    public String toString() {
        return "modified " + modified + (inode == 0 ? "" : ", inode " + inode);
    }
}
