package io.sluice.importer.decode.json;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.Lines;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.JsonScanner;
import io.sluice.model.text.MalformedJson;
import java.util.Arrays;
import java.util.function.Consumer;

/** Decodes JSON objects, one on each line or as the elements of one array, into rows. */
public final class JsonDecoder implements SplitDecoder {
    private final boolean array;
    private final int maxRecordBytes;
    private final RowReader reader;

    /**
     * Creates a decoder.
     *
     * @param array whether each file is one array; else each line is one object
     * @param members which members fill which columns
     * @param maxRecordBytes longest allowed record
     * @throws BadInputException when a path or a DEFAULT does not fit the table
     */
    public JsonDecoder(TableDef table, boolean array, JsonMembers members, int maxRecordBytes) {
        this.array = array;
        this.maxRecordBytes = maxRecordBytes;
        reader = new RowReader(table, members);
    }

    /** The framing of lines, since a string of JSON has no line ends; or of the elements of an array. */
    public static Framing framing(boolean array) {
        return array ? ArrayFraming.UNLIMITED : CsvFraming.LINES;
    }

    /** Receives the range of each record in a split's buffer. */
    @FunctionalInterface
    public interface Ranges {
        /** Receives one record, which may be malformed. */
        void record(int from, int to);
    }

    /** Finds the records of a split, without empty lines and the brackets and commas of an array. */
    public static void forEachRecord(Split split, boolean array, Ranges ranges) {
        byte[] buffer = split.buffer();
        int end = split.end();
        if (!array) {
            Lines lines = new Lines(buffer, split.start(), end);
            while (lines.next()) {
                int from = JsonScanner.skipSpace(buffer, lines.from(), lines.to());
                if (from < lines.to()) {
                    ranges.record(from, lines.to());
                }
            }
            return;
        }
        int at = split.start();
        while (at < end) {
            int from = ArrayFraming.valueStart(buffer, at, end);
            int to = ArrayFraming.valueEnd(buffer, from, end);
            if (from < to) {
                ranges.record(from, to);
            }
            at = to == end || buffer[to] == ',' ? to : to + 1;
        }
    }

    /** Whether a text begins with an array. */
    public static boolean beginsArray(byte[] head) {
        int first = JsonScanner.skipSpace(head, 0, head.length);
        return first < head.length && head[first] == '[';
    }

    /** Whether a text begins with an array whose first element is an object with members. */
    public static boolean beginsArrayOfObjects(byte[] head) {
        int at = ArrayFraming.valueStart(head, 0, head.length);
        int inside = at < head.length ? JsonScanner.skipSpace(head, at + 1, head.length) : at;
        return beginsArray(head) && inside < head.length && head[at] == '{' && head[inside] == '"';
    }

    /**
     * Whether the first line is one object with members.
     *
     * @param cut whether the text goes on after the head; a line that is not in it as a whole may be an object
     */
    public static boolean beginsWithObject(byte[] head, boolean cut) {
        int from = JsonScanner.skipSpace(head, 0, head.length);
        int inside = from < head.length ? JsonScanner.skipSpace(head, from + 1, head.length) : from;
        if (inside == head.length || head[from] != '{' || head[inside] != '"') {
            return false;
        }
        Lines lines = new Lines(head, from, head.length);
        int lineEnd = lines.next() ? lines.to() : head.length;
        JsonScanner scanner = new JsonScanner();
        scanner.reset(head, from, lineEnd);
        try {
            scanner.skip(0);
            return scanner.next() < 0;
        } catch (MalformedJson e) {
            return cut && lineEnd == head.length;
        }
    }

    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        return array ? elements(split, rows, rejects) : lines(split, rows, rejects);
    }

    private long lines(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        byte[] buffer = split.buffer();
        long line = split.linesSkipped();
        Lines lines = new Lines(buffer, split.start(), split.end());
        while (lines.next()) {
            int at = lines.from();
            int lineEnd = lines.to();
            if (JsonScanner.skipSpace(buffer, at, lineEnd) < lineEnd) {
                if (split.oversized() || lineEnd - at > maxRecordBytes) {
                    rejects.accept(tooLong(split, line, at, lineEnd));
                } else {
                    record(split, line, at, lineEnd, rows, rejects);
                }
            }
            line += lineEnd < split.end() ? 1 : 0;
        }
        return line;
    }

    private void record(Split split, long line, int from, int to, RowConsumer rows, Consumer<Reject> rejects) {
        long offset = split.fileOffset(from);
        Reject.Problem problem;
        try {
            problem = reader.read(split.buffer(), from, to);
            if (problem == null) {
                rows.row(reader.row(), offset);
                return;
            }
        } catch (MalformedJson e) {
            problem = malformed(e, from);
        }
        rejects.accept(reject(split, line, from, to, problem));
    }

    private Reject.Problem malformed(MalformedJson e, int from) {
        return Reject.Problem.ofRecord(
                Reject.Code.MALFORMED, "is not JSON at its byte " + (e.position() - from + 1) + ": " + e.getMessage());
    }

    private static Reject reject(Split split, long line, int from, int to, Reject.Problem problem) {
        byte[] buffer = split.buffer();
        int end = to;
        while (end > from && (buffer[end - 1] == '\r' || buffer[end - 1] == '\n' || buffer[end - 1] == ' ')) {
            end--;
        }
        return new Reject(
                new Reject.Place(Reject.Unit.LINE, line, split.fileOffset(from)),
                problem,
                oneLine(Arrays.copyOfRange(buffer, from, end)),
                false);
    }

    /**
     * Replaces the line ends of a record by tabs. So it is one line of the bundle, and remains a reject if a line end
     * is inside a string, where JSON allows neither.
     */
    private static byte[] oneLine(byte[] record) {
        for (int i = 0; i < record.length; i++) {
            if (record[i] == '\n' || record[i] == '\r') {
                record[i] = '\t';
            }
        }
        return record;
    }

    private Reject tooLong(Split split, long line, int from, int to) {
        return new Reject(
                new Reject.Place(Reject.Unit.LINE, line, split.fileOffset(from)),
                Reject.Problem.ofRecord(
                        Reject.Code.TOO_LONG, "is longer than " + maxRecordBytes + " bytes, the limit for one record"),
                Arrays.copyOfRange(split.buffer(), from, Math.min(to, from + maxRecordBytes)),
                true);
    }

    private long elements(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        byte[] buffer = split.buffer();
        int end = split.end();
        if (split.oversized()) {
            throw new BadInputException(split.file().name() + ": the array cannot be read from byte "
                    + split.fileOffset(split.start()) + " on: an element is longer than " + maxRecordBytes
                    + " bytes, or a quote or bracket in it is never closed; correct it there");
        }
        long line = split.linesSkipped();
        int at = split.start();
        int counted = at;
        boolean closed = at == end;
        while (at < end) {
            int separator = JsonScanner.skipSpace(buffer, at, end);
            int from = ArrayFraming.valueStart(buffer, at, end);
            int to = ArrayFraming.valueEnd(buffer, from, end);
            closed = to < end && buffer[to] == ']';
            line += SplitSource.lineEnds(buffer, counted, from);
            counted = from;
            if (separator == from && to > from) {
                rejects.accept(
                        reject(
                                split,
                                line,
                                from,
                                to,
                                Reject.Problem.ofRecord(
                                        Reject.Code.MALFORMED,
                                        "has no comma or opening bracket of an array before it; JSON lines are read with --format jsonl")));
            } else if (to > from) {
                record(split, line, from, to, rows, rejects);
            } else if (separator < end && (buffer[separator] == ',' || !closed)) {
                String where = buffer[separator] == ',' ? "after" : "before";
                rejects.accept(reject(
                        split,
                        line,
                        from,
                        to,
                        Reject.Problem.ofRecord(Reject.Code.MALFORMED, "is missing " + where + " a comma")));
            }
            at = closed ? JsonScanner.skipSpace(buffer, to + 1, end) : to;
        }
        if (split.lastOfFile() && !closed) {
            throw new BadInputException(split.file().name()
                    + ": the array is not closed, or text follows its end: the file is not complete, or is no JSON"
                    + " array; get it again, or read JSON lines with --format jsonl");
        }
        return line + SplitSource.lineEnds(buffer, counted, end);
    }
}
