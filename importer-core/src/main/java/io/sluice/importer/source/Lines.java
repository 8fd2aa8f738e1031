package io.sluice.importer.source;

/**
 * Walks over the lines of a range, for decoders of formats that have one record on each line. Lines end where those of
 * {@link CsvFraming} do: at CR, LF or CRLF. For one thread.
 */
public final class Lines {
    private final byte[] buffer;
    private final int end;
    /** Position of the first LF from the line on, or the end: found once for all lines before it that end in CR. */
    private int newline;

    private int from;
    private int to;
    private int next;

    /** Creates a walk over {@code [from, end)}, which begins with a line. */
    public Lines(byte[] buffer, int from, int end) {
        this.buffer = buffer;
        this.end = end;
        next = from;
        newline = from - 1;
    }

    /** Moves to the next line; returns false after the last one. */
    public boolean next() {
        if (next >= end) {
            return false;
        }
        from = next;
        if (newline < from) {
            newline = Bytes.indexOf(buffer, from, end, (byte) '\n');
        }
        to = Bytes.indexOf(buffer, from, newline, (byte) '\r');
        boolean two = to + 1 == newline && newline < end;
        next = to + (two ? 2 : 1);
        return true;
    }

    /** Start of the current line. */
    public int from() {
        return from;
    }

    /** End of the current line, before its line end. */
    public int to() {
        return to;
    }
}
