package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What an input is known by again: enough to notice that it is not what it was, without reading it. What is read of it
 * meanwhile is of this version, too, for no other can be read by whoever found it.
 *
 * @param name how messages call it
 * @param bytes its length as it is stored
 * @param encoding how its text became bytes
 * @param version what tells its version from others where it lies: ETag and times, or time and inode
 * @param head checksum of its first bytes
 */
record InputMark(String name, long bytes, String encoding, String version, int head) {
    /** Holds the header of any format, and for formats without one the first hundreds of records. */
    private static final int HEAD_BYTES = 64 << 10;

    static InputMark of(InputFile input) {
        try (InputStream in = input.origin().open()) {
            CRC32C crc = new CRC32C();
            crc.update(in.readNBytes(HEAD_BYTES));
            return new InputMark(
                    input.name(), input.sizeBytes(), input.encoding().toString(), input.version(), (int)
                            crc.getValue());
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
        if (!version.equals(now.version)) {
            return name + " was modified since: it was of " + version + " and is of " + now.version;
        }
        return encoding.equals(now.encoding) ? null : name + " is to be read with another charset or compression";
    }
}
