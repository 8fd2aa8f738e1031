package io.sluice.sql.apply;

import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;

/**
 * A position in a log: everything before it has been read.
 *
 * @param lines number of lines before it
 * @param offset number of bytes before it
 * @param lastLength length of the last line before it in bytes, with its line end
 * @param lastCrc CRC-32C of that line, to recognize the log
 */
record Position(long lines, long offset, int lastLength, long lastCrc) {
    static final Position START = new Position(0, 0, 0, 0);
    private static final int FIELDS = 4;

    byte[] toBytes() {
        return (lines + " " + offset + " " + lastLength + " " + lastCrc).getBytes(StandardCharsets.US_ASCII);
    }

    static Position of(byte[] bytes) {
        String[] fields = new String(bytes, StandardCharsets.US_ASCII).split(" ", -1);
        if (fields.length != FIELDS) {
            throw new BadInputException(
                    "the position of the log was written by another version; apply it with" + " --from-start --upsert");
        }
        return new Position(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Integer.parseInt(fields[2]),
                Long.parseLong(fields[3]));
    }
}
