package io.sluice.importer.conflict;

import io.sluice.importer.decode.Reject;
import java.io.Serializable;

/**
 * The position of a row in the input.
 *
 * @param file ordinal of its file among the inputs
 * @param name the file's name in messages
 * @param unit the unit of {@code line}
 * @param line line of the file or number of the record, from 1; 0 if there is neither
 * @param byteOffset offset of the record in the file, as decoders count
 */
public record Place(int file, String name, Reject.Unit unit, long line, long byteOffset) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The position in words, for messages. */
    public String describe() {
        return name + (line == 0 ? "" : ", " + unit.label() + " " + line) + " (byte " + byteOffset + ")";
    }
}
