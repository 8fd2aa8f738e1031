package io.sluice.importer.conflict;

import io.sluice.importer.decode.Reject;

/**
 * Where a row of the input stands.
 *
 * @param file ordinal of its file among the inputs
 * @param name what messages call the file
 * @param unit what {@code line} counts
 * @param line line of the file, or number of the record, from 1; 0 where there is neither
 * @param byteOffset where in the file its record begins, as decoders count
 */
public record Place(int file, String name, Reject.Unit unit, long line, long byteOffset) {
    /** In words. */
    public String describe() {
        return name + (line == 0 ? "" : ", " + unit.label() + " " + line) + " (byte " + byteOffset + ")";
    }
}
