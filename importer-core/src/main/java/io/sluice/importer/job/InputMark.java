package io.sluice.importer.job;

import io.sluice.importer.source.InputFile;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the version of an input, so that a resumed import notices a change without reading the input. The reading
 * itself is bound to this version: an origin serves no other one.
 *
 * @param name the input's name in messages
 * @param bytes stored length of the input
 * @param encoding charset and compression of the input
 * @param version version at the origin: ETag and times, or time and inode
 * @param head CRC of the first bytes
 */
record InputMark(String name, long bytes, String encoding, String version, int head) {
    /** Bytes in the head: 64 KiB. They hold the header of any format, or the first hundreds of records. */
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

    /** The difference to a later mark in words, or null. */
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
