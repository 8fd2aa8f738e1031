package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.Bytes;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.row.Row;
import io.sluice.model.text.DatumProblem;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes plain dialects directly from bytes, without a String or an object per row. It is one state machine, for
 * speed. {@link CommonsCsvDecoder} is the readable decoder; a differential test compares both.
 */
final class FastCsvDecoder implements SplitDecoder {
    private static final long AFTER_CR_PATTERN = Bytes.pattern((byte) ('\r' + 1));
    private static final int NO_QUOTE = Integer.MIN_VALUE;

    private final CsvFormat format;
    private final Row row;
    private final byte delimiter;
    private final int quote;
    private final long delimiterPattern;
    private final boolean emptyLines;
    private final boolean strictQuotes;

    private final FieldLayout.Cache layouts;

    /** Results of scanning a quoted field: where its text is, and where the scan stopped. */
    private byte[] fieldBuffer = new byte[0];

    private int fieldFrom;
    private int fieldTo;
    private int fieldLines;
    private @Nullable String fieldProblem;
    /** Room for fields whose quotes are doubled inside. */
    private byte[] unquoted = new byte[1 << 10];

    private long lines;
    /** Whether the last record was set as the row; if not, it was rejected. */
    private boolean rowSet;

    FastCsvDecoder(CsvFormat format) {
        this.format = format;
        layouts = new FieldLayout.Cache(format);
        row = new Row(format.table().columns().size());
        CsvDialect dialect = format.dialect();
        delimiter = (byte) dialect.delimiter().charAt(0);
        delimiterPattern = Bytes.pattern(delimiter);
        Character quoteCharacter = dialect.quote();
        quote = quoteCharacter == null ? NO_QUOTE : (byte) quoteCharacter.charValue();
        emptyLines = dialect.has(Trait.EMPTY_LINES);
        strictQuotes = quoteCharacter != null && dialect.has(Trait.STRICT_QUOTES);
    }

    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        if (split.oversized()) {
            rejects.accept(Rejects.oversized(split, format.maxRecordBytes()));
            return split.linesSkipped() + SplitSource.lineEnds(split.buffer(), split.start(), split.end());
        }
        FieldLayout fields = layouts.of(split);
        byte[] buffer = split.buffer();
        int end = split.end();
        lines = split.linesSkipped();
        int pos = split.start();
        while (pos < end) {
            byte b = buffer[pos];
            if (!emptyLines && (b == '\n' || b == '\r')) {
                pos = afterLineEnd(buffer, pos, end);
            } else {
                int start = pos;
                pos = record(split, buffer, start, end, fields, rejects);
                // Not in the method for records: the JVM would compile the consumer into it, and both again for each
                // rare branch of the consumer that is taken for the first time.
                if (rowSet) {
                    rows.row(row, split.fileOffset(start));
                }
            }
        }
        return lines;
    }

    /** Decodes the record at {@code start} and sets {@link #rowSet}; returns the position after it. */
    private int record(Split split, byte[] buffer, int start, int end, FieldLayout fields, Consumer<Reject> rejects) {
        long firstLine = lines;
        int count = fields.fields();
        int field = 0;
        int badField = -1;
        DatumProblem problem = null;
        String malformed = null;
        int recordEnd;
        int pos = start;
        fields.begin(row);
        while (true) {
            DatumProblem found = null;
            if (pos < end && buffer[pos] == quote) {
                pos = quotedField(buffer, pos + 1, end);
                lines += fieldLines;
                if (fieldProblem != null && malformed == null) {
                    malformed = fieldProblem;
                    badField = field;
                } else if (field < count && badField < 0) {
                    found = fields.set(row, field, fieldBuffer, fieldFrom, fieldTo, true);
                }
            } else {
                int to = fieldEnd(buffer, pos, end);
                if (strictQuotes && malformed == null && Bytes.indexOf(buffer, pos, to, (byte) quote) < to) {
                    malformed = Rejects.BARE_QUOTE;
                    badField = field;
                } else if (field < count && badField < 0) {
                    found = fields.set(row, field, buffer, pos, to, false);
                }
                pos = to;
            }
            if (found != null) {
                problem = found;
                badField = field;
            }
            field++;
            recordEnd = pos;
            if (pos >= end) {
                break;
            }
            if (buffer[pos] == delimiter) {
                pos++;
                continue;
            }
            pos = afterLineEnd(buffer, pos, end);
            break;
        }
        for (int i = field; i < count && malformed == null && badField < 0 && fields.takes(field); i++) {
            problem = fields.missing(row, i);
            badField = problem == null ? -1 : i;
        }
        rowSet = malformed == null
                && problem == null
                && fields.takes(field)
                && recordEnd - start <= format.maxRecordBytes();
        if (!rowSet) {
            // A field with an unclosed quote includes the last line end.
            Rejects.Place place = Rejects.Place.of(firstLine, split.fileOffset(start), buffer, start, recordEnd);
            rejects.accept(Rejects.of(place, format.maxRecordBytes(), fields, field, badField, malformed, problem));
        }
        return pos;
    }

    /** Moves past CR, LF or CRLF and counts the line. */
    private int afterLineEnd(byte[] buffer, int pos, int end) {
        lines++;
        return buffer[pos] == '\r' && pos + 1 < end && buffer[pos + 1] == '\n' ? pos + 2 : pos + 1;
    }

    /**
     * Position of the delimiter or line end that ends a field without quotes, or {@code end}.
     *
     * <p>Text rarely has control characters, so one comparison finds both line ends: a byte up to CR. What it finds
     * besides them, such as a tab, is passed over.
     */
    private int fieldEnd(byte[] buffer, int from, int end) {
        int i = from;
        int lastWord = buffer.length - Long.BYTES;
        while (i <= lastWord) {
            long word = Bytes.wordAt(buffer, i);
            long hit = Bytes.zeroBytes(word ^ delimiterPattern) | Bytes.below(word, AFTER_CR_PATTERN);
            if (hit != 0) {
                i += Long.numberOfTrailingZeros(hit) >>> 3;
                if (i >= end) {
                    return end;
                }
                if (endsField(buffer[i])) {
                    return i;
                }
                i++;
            } else {
                i += Long.BYTES;
                if (i >= end) {
                    return end;
                }
            }
        }
        while (i < end && !endsField(buffer[i])) {
            i++;
        }
        return i;
    }

    private boolean endsField(byte b) {
        return b == delimiter || b == '\n' || b == '\r';
    }

    /**
     * Scans a quoted field after its opening quote and sets the {@code field…} variables.
     *
     * @return position of the delimiter or line end that ends the field, or {@code end}
     */
    private int quotedField(byte[] buffer, int from, int end) {
        fieldProblem = null;
        fieldLines = 0;
        byte q = (byte) quote;
        int copied = 0;
        int chunk = from;
        int pos = from;
        while (true) {
            pos = Bytes.indexOf(buffer, pos, end, q);
            if (pos == end) {
                fieldProblem = Rejects.UNCLOSED_QUOTE;
                fieldLines = SplitSource.lineEnds(buffer, from, end);
                return end;
            }
            if (pos + 1 < end && buffer[pos + 1] == q) {
                copied = append(buffer, chunk, pos + 1, copied);
                pos += 2;
                chunk = pos;
                continue;
            }
            break;
        }
        if (copied == 0) {
            fieldBuffer = buffer;
            fieldFrom = from;
            fieldTo = pos;
        } else {
            copied = append(buffer, chunk, pos, copied);
            // The row may point into these bytes until it was consumed: they must outlive the record's other fields.
            int offset = row.scratch(copied);
            fieldBuffer = row.scratchBuffer();
            System.arraycopy(unquoted, 0, fieldBuffer, offset, copied);
            fieldFrom = offset;
            fieldTo = offset + copied;
        }
        fieldLines = SplitSource.lineEnds(buffer, from, pos);
        pos++;
        while (pos < end && !endsField(buffer[pos])) {
            if (!CsvFraming.isPadding(buffer[pos])) {
                fieldProblem = Rejects.TEXT_BEHIND_QUOTE;
            }
            pos++;
        }
        return pos;
    }

    private int append(byte[] buffer, int from, int to, int length) {
        int needed = length + to - from;
        if (needed > unquoted.length) {
            unquoted = Arrays.copyOf(unquoted, Math.max(needed, 2 * unquoted.length));
        }
        System.arraycopy(buffer, from, unquoted, length, to - from);
        return needed;
    }
}
