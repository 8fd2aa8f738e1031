package io.sluice.importer.source;

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
}
