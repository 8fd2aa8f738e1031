package io.sluice.client;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Computes the CRC-32C of a file through a mapping, while the file is still in the page cache. */
final class FileCrc {
    private static final long MAPPED_BYTES = 256L << 20;

    private FileCrc() {}

    static int of(Path file) {
        CRC32C crc = new CRC32C();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            for (long at = 0; at < size; at += MAPPED_BYTES) {
                crc.update(channel.map(FileChannel.MapMode.READ_ONLY, at, Math.min(MAPPED_BYTES, size - at)));
            }
        } catch (IOException e) {
            throw new OperationFailedException(file + " could not be read: " + e.getMessage(), e);
        }
        return (int) crc.getValue();
    }

    static int of(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
