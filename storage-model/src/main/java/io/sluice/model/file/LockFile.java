package io.sluice.model.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/** A file that its holder locks, and deletes before it closes it. The caller opens and closes the channel. */
public final class LockFile {
    private LockFile() {}

    /**
     * Locks an open file until its channel is closed.
     *
     * @return false if this process or another one has locked it
     */
    @SuppressWarnings("resource") // the lock is released with its channel
    public static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /**
     * Whether the locked file is still the one of that name: an earlier holder deletes its file, perhaps after this
     * process has opened it, and a third one may have created another. Only the holder of a file's lock writes to it.
     */
    public static boolean isAt(Path file, FileChannel locked) throws IOException {
        byte[] mark = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        locked.write(ByteBuffer.wrap(mark), 0);
        try {
            return Arrays.equals(mark, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
