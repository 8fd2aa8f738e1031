package io.sluice.importer.source;

/**
 * Finds the ends of CSV records: at CR, LF or CRLF outside of quotes. A quote opens a quoted field only at the start of
 * a field. Inside, a doubled quote is a quote. Bytes after the closing quote belong to the field up to the next
 * delimiter or line end. Decoders follow the same rules, so both agree on the end of every record, well formed or not.
 *
 * @param delimiter bytes between two fields
 * @param quote the quote, or {@link #NONE}
 * @param escape the byte that makes the next one literal, or {@link #NONE}
 * @param comment the byte that starts a comment line, or {@link #NONE}
 * @param quotedEscape whether the escape has its meaning only inside quotes
 * @param blanks whether a quote opens a field after blanks, too
 * @param emptyLines whether an empty line is a record
 * @param maxRecordBytes longest record, without its line end, in which line ends may be quoted
 */
@SuppressWarnings("ArrayRecordComponent")
public record CsvFraming(
        byte[] delimiter,
        int quote,
        int escape,
        int comment,
        boolean quotedEscape,
        boolean blanks,
        boolean emptyLines,
        int maxRecordBytes)
        implements Framing {
    /** The value for a byte that the dialect does not use. */
    public static final int NONE = -1;

    /** Lines, whatever is in them. */
    public static final CsvFraming LINES = new CsvFraming(new byte[] {','}, NONE, NONE, NONE);

    /** Creates a framing without a limit; blanks belong to fields, and empty lines are not records. */
    public CsvFraming(byte[] delimiter, int quote, int escape, int comment) {
        this(delimiter, quote, escape, comment, false, false, false, Integer.MAX_VALUE);
    }

    @Override
    public CsvFraming limited(int bytes) {
        return new CsvFraming(delimiter, quote, escape, comment, quotedEscape, blanks, emptyLines, bytes);
    }

    @Override
    public boolean isRecord(byte[] buffer, int from, int end) {
        byte first = buffer[from];
        boolean isComment = comment != NONE && first == (byte) comment;
        return !isComment && (emptyLines || (first != '\n' && first != '\r'));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The result never goes beyond the start of a record that is too long, except when that record is the first one.
     */
    @Override
    public int lastRecordEnd(byte[] buffer, int from, int to, boolean last) {
        if (isPlain(buffer, from, to)) {
            return last ? to : lastLineEnd(buffer, from, to);
        }
        int end = from;
        while (end < to) {
            int next = unlimitedEnd(buffer, end, to, last);
            if (next < 0 || tooLong(buffer, end, next)) {
                break;
            }
            end = next;
        }
        return end;
    }

    /** Whether the range has no byte that could make a line end part of a field. */
    private boolean isPlain(byte[] buffer, int from, int to) {
        return !has(buffer, from, to, quote) && !has(buffer, from, to, escape) && comment == NONE;
    }

    private static boolean has(byte[] buffer, int from, int to, int value) {
        return value != NONE && Bytes.indexOf(buffer, from, to, (byte) value) < to;
    }

    private static int lastLineEnd(byte[] buffer, int from, int to) {
        int newline = Bytes.lastIndexOf(buffer, from, to, (byte) '\n');
        if (newline >= 0) {
            return newline + 1;
        }
        // Lines that end in CR alone. A CR in the last place may be half of a CRLF.
        int carriageReturn = Bytes.lastIndexOf(buffer, from, to - 1, (byte) '\r');
        return carriageReturn < 0 ? from : carriageReturn + 1;
    }

    @Override
    public int firstRecordEnd(byte[] buffer, int from, int to, boolean last) {
        int end = unlimitedEnd(buffer, from, to, last);
        return end >= 0 && tooLong(buffer, from, end) ? lineEnd(buffer, from, end) : end;
    }

    /** Whether a record is longer than allowed and has more than one line. */
    private boolean tooLong(byte[] buffer, int from, int end) {
        if (end - from <= maxRecordBytes) {
            return false;
        }
        int contentEnd = end;
        if (buffer[contentEnd - 1] == '\n') {
            contentEnd--;
        }
        if (contentEnd > from && buffer[contentEnd - 1] == '\r') {
            contentEnd--;
        }
        return contentEnd - from > maxRecordBytes && lineEnd(buffer, from, end) < end;
    }

    /** Position after the first line end in the range, quoted or not; {@code to} without one. */
    static int lineEnd(byte[] buffer, int from, int to) {
        int newline = Bytes.indexOf(buffer, from, to, (byte) '\n');
        int end = Bytes.indexOf(buffer, from, newline, (byte) '\r');
        if (end == to) {
            return to;
        }
        boolean two = buffer[end] == '\r' && end + 1 < to && buffer[end + 1] == '\n';
        return end + (two ? 2 : 1);
    }

    private int unlimitedEnd(byte[] buffer, int from, int to, boolean last) {
        int pos = from;
        boolean commentLine = comment != NONE && pos < to && buffer[pos] == (byte) comment;
        boolean fieldStart = !commentLine;
        while (pos < to) {
            byte b = buffer[pos];
            if (fieldStart && quote != NONE && b == (byte) quote) {
                pos = closingQuote(buffer, pos + 1, to);
                if (pos < 0) {
                    return last ? to : -1;
                }
                fieldStart = false;
            } else if (b == '\n') {
                return pos + 1;
            } else if (b == '\r') {
                if (pos + 1 < to) {
                    return buffer[pos + 1] == '\n' ? pos + 2 : pos + 1;
                }
                return last ? to : -1;
            } else if (escape != NONE && b == (byte) escape && !quotedEscape && !commentLine) {
                pos += 2;
                fieldStart = false;
            } else if (!commentLine && isDelimiter(buffer, pos, to)) {
                pos += delimiter.length;
                fieldStart = true;
            } else {
                pos++;
                fieldStart = fieldStart && blanks && isBlank(b);
            }
        }
        return last ? to : -1;
    }

    /** Whether a byte is ASCII white space as in Java; callers check for line ends first. */
    public static boolean isBlank(byte b) {
        return b == ' ' || (b >= 0x09 && b <= 0x0d) || (b >= 0x1c && b <= 0x1f);
    }

    /** Whether a byte between a closing quote and the end of its field is ignored. */
    public static boolean isPadding(byte b) {
        return b == ' ' || b == '\t';
    }

    /** Position after the quote that closes a field, or -1. */
    private int closingQuote(byte[] buffer, int from, int to) {
        int pos = from;
        while (pos < to) {
            byte b = buffer[pos];
            if (escape != NONE && b == (byte) escape && escape != quote) {
                pos += 2;
            } else if (b != (byte) quote) {
                pos++;
            } else if (pos + 1 < to && buffer[pos + 1] == (byte) quote) {
                pos += 2;
            } else {
                return pos + 1;
            }
        }
        return -1;
    }

    private boolean isDelimiter(byte[] buffer, int pos, int to) {
        if (buffer[pos] != delimiter[0] || pos + delimiter.length > to) {
            return false;
        }
        for (int i = 1; i < delimiter.length; i++) {
            if (buffer[pos + i] != delimiter[i]) {
                return false;
            }
        }
        return true;
    }
}
