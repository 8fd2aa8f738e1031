package io.sluice.importer.source.origin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The version of a local file. A file that was written, replaced or renamed over gets another version.
 *
 * @param sizeBytes length of the file
 * @param modified time of its last change
 * @param inode inode number; 0 if the file system has none
 */
public record FileVersion(long sizeBytes, FileTime modified, long inode) {
    /** The current version of the regular file at a path; null if there is none. */
    public static @Nullable FileVersion find(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            if (!found.isRegularFile()) {
                return null;
            }
            return new FileVersion(found.size(), found.lastModifiedTime(), inode(path));
        } catch (IOException e) {
            // Opening the file reports the reason.
            return null;
        }
    }

    private static long inode(Path path) throws IOException {
        boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
        return unix && Files.getAttribute(path, "unix:ino") instanceof Long inode ? inode : 0;
    }

    /** Time and inode; descriptions of inputs name the length separately. */
    @Override
    public String toString() {
        return "modified " + modified + (inode == 0 ? "" : ", inode " + inode);
    }
}
