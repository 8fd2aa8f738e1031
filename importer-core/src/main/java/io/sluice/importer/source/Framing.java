package io.sluice.importer.source;

import org.jspecify.annotations.Nullable;

/** Knows where a record ends without knowing what is in it. Immutable, usable by many threads. */
public interface Framing {
    /**
     * End of the last whole record in {@code [from, to)}, where {@code from} is the beginning of a record.
     *
     * @param last whether the input ends at {@code to}
     * @return the position behind the last whole record; {@code from} when there is none
     */
    int lastRecordEnd(byte[] buffer, int from, int to, boolean last);

    /**
     * End of the first record in {@code [from, to)}.
     *
     * @return the position behind it, or -1 when it goes on behind {@code to}
     */
    int firstRecordEnd(byte[] buffer, int from, int to, boolean last);

    /**
     * The same framing for records of limited length: a record that would be longer, and has a line end inside, ends at
     * that first line end. It says where to go on behind a quote that is never closed, whatever the size of splits.
     */
    default Framing limited(int maxRecordBytes) {
        return this;
    }

    /** Whether what lies between two record ends is a record at all, and not a comment or an empty line. */
    default boolean isRecord(byte[] buffer, int from, int end) {
        return true;
    }

    /**
     * The framing of what follows a file's header, for formats whose header says how.
     *
     * @param header the header; empty when the file has none
     * @throws io.sluice.api.error.BadInputException when it is no header
     */
    default Framing behindHeader(byte[] header, String fileName) {
        return this;
    }

    /** Whether files are text: may begin with a byte order mark, and have lines worth counting. */
    default boolean isText() {
        return true;
    }

    /**
     * Bytes behind which reading goes on when a record is too long or has no end; null: a line end; empty: there are
     * none, and the rest of the file is passed over.
     */
    default byte @Nullable [] marker() {
        return null;
    }

    /** How many rows whole records in a range hold, for formats that say so without being decoded; 0 for others. */
    default long records(byte[] buffer, int from, int to) {
        return 0;
    }
}
