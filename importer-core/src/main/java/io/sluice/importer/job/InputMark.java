package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What an input is known by again: enough to notice that it is not what it was, without reading it.
 *
 * @param name how messages call it
 * @param bytes its length as it is stored
 * @param encoding how its text became bytes
 * @param modifiedMillis when it was changed last, where that is known for free; or 0
 * @param head checksum of its first bytes
 */
record InputMark(String name, long bytes, String encoding, long modifiedMillis, int head) {
    /** Holds the header of any format, and for formats without one the first hundreds of records. */
    private static final int HEAD_BYTES = 64 << 10;

    static InputMark of(InputFile input) {
        try (InputStream in = input.origin().open()) {
            CRC32C crc = new CRC32C();
            crc.update(in.readNBytes(HEAD_BYTES));
            Path local = input.path();
            long modified = local == null ? 0 : Files.getLastModifiedTime(local).toMillis();
            return new InputMark(
                    input.name(), input.sizeBytes(), input.encoding().toString(), modified, (int) crc.getValue());
        } catch (IOException e) {
            throw new OperationFailedException(input.name() + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** What is different about a later one, or null. */
    @Nullable
    String changed(InputMark now) {
        if (!name.equals(now.name)) {
            return "was " + name + " and is " + now.name;
        }
        if (bytes != now.bytes) {
            return name + " had " + bytes + " bytes and has " + now.bytes;
        }
        if (head != now.head) {
            return name + " begins with other bytes";
        }
        if (modifiedMillis != now.modifiedMillis) {
            return name + " was modified since";
        }
        return encoding.equals(now.encoding) ? null : name + " is to be read with another charset or compression";
    }
}
