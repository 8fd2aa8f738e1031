package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.row.Row;
import io.sluice.model.text.DatumProblem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decodes all dialects with commons-csv, but those with the escapes of PostgreSQL or MySQL from {@link RawFields}.
 *
 * <p>The parser gets the bytes as ISO 8859-1, one character per byte. So its character positions are byte positions,
 * and fields convert back to the original bytes. The same parsers as in the fast decoder then check them as UTF-8.
 */
final class CommonsCsvDecoder implements SplitDecoder {
    private final CsvFormat format;
    private final CSVFormat commons;
    private final Framing framing;
    private final Row row;
    private final FieldLayout.Cache layouts;
    private final RawFields raw;

    CommonsCsvDecoder(CsvFormat format) {
        this.format = format;
        commons = CommonsFormats.forBytes(format.dialect());
        framing = format.dialect().framing();
        layouts = new FieldLayout.Cache(format);
        raw = new RawFields(format.dialect());
        row = new Row(format.table().columns().size());
    }

    @Override
    public long decode(Split split, RowConsumer rows, Consumer<Reject> rejects) {
        long lines = split.linesSkipped() + SplitSource.lineEnds(split.buffer(), split.start(), split.end());
        if (split.oversized()) {
            rejects.accept(Rejects.oversized(split, format.maxRecordBytes()));
            return lines;
        }
        FieldLayout fields = layouts.of(split);
        byte[] header = format.dialect().records().header() ? split.header() : null;
        if (header != null && split.start() > 0 && format.dialect().has(Trait.GUESSED_COMMENT)) {
            rejectBefore(split, header, fields, rejects);
        }
        Cursor cursor = new Cursor(split);
        while (format.dialect().hasOwnEscapes() && cursor.pos < split.end()) {
            int end = recordEnd(split, cursor.pos);
            if (framing.isRecord(split.buffer(), cursor.pos, split.end()) && !isEndMark(split, cursor.pos, end)) {
                row(cursor, end, null, fields, rows, rejects);
            }
            cursor.moveTo(end);
        }
        while (cursor.pos < split.end()) {
            decodeFrom(cursor, fields, rows, rejects);
        }
        return lines;
    }

    /** The progress in a split: the next record's position and its line. */
    private static final class Cursor {
        final Split split;
        int pos;
        long line;

        Cursor(Split split) {
            this.split = split;
            pos = split.start();
            line = split.linesSkipped();
        }

        void moveTo(int position) {
            line += SplitSource.lineEnds(split.buffer(), pos, position);
            pos = position;
        }
    }

    /** Decodes up to the end or the first record that the parser cannot read; rejects and skips that one. */
    private void decodeFrom(Cursor cursor, FieldLayout fields, RowConsumer rows, Consumer<Reject> rejects) {
        Split split = cursor.split;
        int base = cursor.pos;
        ByteArrayInputStream bytes = new ByteArrayInputStream(split.buffer(), base, split.end() - base);
        try (CSVParser parser = commons.parse(new InputStreamReader(bytes, StandardCharsets.ISO_8859_1))) {
            Iterator<CSVRecord> records = parser.iterator();
            while (records.hasNext()) {
                CSVRecord record = records.next();
                cursor.moveTo(base + (int) record.getCharacterPosition());
                passComments(cursor, fields, rejects);
                int end = recordEnd(split, cursor.pos);
                row(cursor, end, record, fields, rows, rejects);
                cursor.moveTo(end);
            }
            passComments(cursor, fields, rejects);
            cursor.moveTo(split.end());
        } catch (IOException | UncheckedIOException e) {
            passComments(cursor, fields, rejects);
            int end = recordEnd(split, cursor.pos);
            Rejects.Place place = place(cursor, end);
            raw.scan(split.buffer(), place.from(), place.to());
            RawFields.Fault fault = raw.problem();
            rejects.accept(malformed(place, fault == null ? RawFields.Fault.UNKNOWN : fault, fields));
            cursor.moveTo(end);
        }
    }

    private boolean isEndMark(Split split, int from, int end) {
        return format.dialect().has(Trait.END_MARK)
                && end - from >= 2
                && split.buffer()[from] == '\\'
                && split.buffer()[from + 1] == '.'
                && (end - from == 2 || split.buffer()[from + 2] == '\n' || split.buffer()[from + 2] == '\r');
    }

    /** Passes empty lines and comments: the parser counts those before a record as part of it. */
    private void passComments(Cursor cursor, FieldLayout fields, Consumer<Reject> rejects) {
        Split split = cursor.split;
        while (cursor.pos < split.end() && !framing.isRecord(split.buffer(), cursor.pos, split.end())) {
            int end = recordEnd(split, cursor.pos);
            if (format.dialect().has(Trait.GUESSED_COMMENT)) {
                rejectRow(place(cursor, end), fields, rejects);
            }
            cursor.moveTo(end);
        }
    }

    /** Rejects a comment line that has the number of fields of a row: it may be one, since comments are a guess. */
    private void rejectRow(Rejects.Place place, FieldLayout fields, Consumer<Reject> rejects) {
        raw.scan(place.buffer(), place.from(), place.to());
        if (place.length() > 0 && fields.takes(raw.size())) {
            String message = "begins like the comments of the file, but has the fields of a row: --comment '"
                    + format.dialect().comment() + "' skips such lines, --quote '\"' reads them as rows";
            rejects.accept(Rejects.of(place, format.maxRecordBytes(), fields, 0, -1, message, null));
        }
    }

    /**
     * Rejects comment lines before the header of a file that may be rows, unless the types of the columns tell the
     * header from a row: then it is the first line of the table. The sample had only the first file.
     */
    private void rejectBefore(Split split, byte[] header, FieldLayout fields, Consumer<Reject> rejects) {
        if (isNoRow(header, fields)) {
            return;
        }
        long line = split.linesSkipped() - SplitSource.lineEnds(split.buffer(), 0, split.start());
        long skipped = format.dialect().records().skip();
        for (int from = 0; from < split.start(); skipped--) {
            int end = framing.firstRecordEnd(split.buffer(), from, split.start(), true);
            if (skipped <= 0 && !framing.isRecord(split.buffer(), from, end)) {
                rejectRow(Rejects.Place.of(line, split.fileOffset(from), split.buffer(), from, end), fields, rejects);
            }
            line += SplitSource.lineEnds(split.buffer(), from, end);
            from = end;
        }
    }

    /** Whether a name in the header is no value of its column. */
    private boolean isNoRow(byte[] header, FieldLayout fields) {
        List<String> names = CommonsFormats.names(header, format.dialect());
        for (int i = 0; i < Math.min(names.size(), fields.fields()); i++) {
            if (fields.setValue(row, i, names.get(i).getBytes(StandardCharsets.UTF_8)) != null) {
                return true;
            }
        }
        return false;
    }

    private int recordEnd(Split split, int from) {
        return framing.firstRecordEnd(split.buffer(), from, split.end(), true);
    }

    /** Decodes a record from the parser, or from its raw fields. */
    private void row(
            Cursor cursor,
            int end,
            @Nullable CSVRecord record,
            FieldLayout fields,
            RowConsumer rows,
            Consumer<Reject> rejects) {
        fields.begin(row);
        Rejects.Place place = place(cursor, end);
        raw.scan(cursor.split.buffer(), place.from(), place.to());
        RawFields.Fault fault = raw.problem();
        int size = record == null ? raw.size() : record.size();
        DatumProblem problem = null;
        int badField = -1;
        for (int i = 0; i < Math.min(size, fields.fields()) && problem == null && fault == null; i++) {
            problem = set(record == null ? null : record.get(i), i, fields);
            badField = problem == null ? -1 : i;
        }
        for (int i = size; i < fields.fields() && problem == null && fields.takes(size); i++) {
            problem = fields.missing(row, i);
            badField = problem == null ? -1 : i;
        }
        if (fault != null) {
            rejects.accept(malformed(place, fault, fields));
        } else if (problem == null && fields.takes(size) && place.length() <= format.maxRecordBytes()) {
            rows.row(row, place.byteOffset());
        } else {
            rejects.accept(Rejects.of(place, format.maxRecordBytes(), fields, size, badField, null, problem));
        }
    }

    private @Nullable DatumProblem set(@Nullable String text, int field, FieldLayout fields) {
        return raw.isNull(field)
                ? fields.setNull(row, field)
                : fields.setValue(
                        row, field, text == null ? raw.value(field) : text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Reject malformed(Rejects.Place place, RawFields.Fault fault, FieldLayout fields) {
        return Rejects.of(place, format.maxRecordBytes(), fields, 0, fault.field(), fault.message(), null);
    }

    private Rejects.Place place(Cursor cursor, int end) {
        Split split = cursor.split;
        return Rejects.Place.of(cursor.line, split.fileOffset(cursor.pos), split.buffer(), cursor.pos, end);
    }
}
