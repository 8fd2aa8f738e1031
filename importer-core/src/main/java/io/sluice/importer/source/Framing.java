package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/** Finds the ends of records without decoding them. Immutable. */
public interface Framing {
    /**
     * End of the last whole record in {@code [from, to)}, where {@code from} is the beginning of a record.
     *
     * @param last whether the input ends at {@code to}
     * @return the position after the last whole record; {@code from} if there is none
     */
    int lastRecordEnd(byte[] buffer, int from, int to, boolean last);

    /**
     * End of the first record in {@code [from, to)}.
     *
     * @return the position after it, or -1 if it continues after {@code to}
     */
    int firstRecordEnd(byte[] buffer, int from, int to, boolean last);

    /**
     * Returns a copy with a limit on records: a longer record with a line end inside ends at its first line end. So
     * decoding continues after a quote that is never closed, whatever the size of splits.
     */
    default Framing limited(int maxRecordBytes) {
        return this;
    }

    /** Whether the bytes between two record ends are a record, not a comment or an empty line. */
    default boolean isRecord(byte[] buffer, int from, int end) {
        return true;
    }

    /**
     * The framing of the bytes after a file's header, for formats whose header defines it.
     *
     * @param header the header; empty if the file has none
     * @throws io.sluice.model.error.BadInputException when the header is invalid
     */
    default Framing afterHeader(byte[] header, String fileName) {
        return this;
    }

    /** Whether files are text, with lines and perhaps a byte order mark. */
    default boolean isText() {
        return true;
    }

    /**
     * Bytes after which reading continues when a record is too long or has no end. Null: a line end. Empty: no such
     * bytes, and the rest of the file is skipped.
     */
    default byte @Nullable [] marker() {
        return null;
    }

    /** Number of rows in the whole records of a range, for formats that tell it without decoding; 0 for others. */
    default long records(byte[] buffer, int from, int to) {
        return 0;
    }
}
