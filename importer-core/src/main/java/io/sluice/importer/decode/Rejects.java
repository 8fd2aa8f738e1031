package io.sluice.importer.decode;

import io.sluice.importer.source.Split;
import io.sluice.model.text.DatumProblem;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Creates {@link Reject}s with the same texts for both decoders. */
final class Rejects {
    static final String UNCLOSED_QUOTE =
            "the quote that opens this field is never closed; --quote '' takes quotes as text";

    static final String TEXT_BEHIND_QUOTE =
            "there is text between the closing quote and the delimiter; --escape names a"
                    + " character before quotes inside, and --quote '' takes quotes as text";

    static final String BARE_QUOTE = "there is a quote in a field without quotes, which --strict-quotes forbids";

    private Rejects() {}

    /** The position of a rejected record: line of the split, offset in the file, and its bytes without the line end. */
    @SuppressWarnings("ArrayRecordComponent")
    record Place(long line, long byteOffset, byte[] buffer, int from, int to) {
        /** The position of a record that may include its line end. */
        static Place of(long line, long byteOffset, byte[] buffer, int from, int end) {
            int to = end > from && buffer[end - 1] == '\n' ? end - 1 : end;
            to = to > from && buffer[to - 1] == '\r' ? to - 1 : to;
            return new Place(line, byteOffset, buffer, from, to);
        }

        int length() {
            return to - from;
        }

        Reject.Place reject() {
            return new Reject.Place(Reject.Unit.LINE, line, byteOffset);
        }
    }

    /**
     * Creates the reject for the first problem of a record, in this order: its length, its quoting, its number of
     * fields, a field.
     */
    static Reject of(
            Place place,
            int maxRecordBytes,
            FieldLayout layout,
            int fieldsFound,
            int badField,
            @Nullable String malformed,
            @Nullable DatumProblem problem) {
        if (place.length() > maxRecordBytes) {
            return tooLong(place, maxRecordBytes);
        }
        String column = badField < 0 ? null : layout.columnName(badField);
        if (malformed != null) {
            return reject(place, badField + 1, column, Reject.Code.MALFORMED.text(), malformed);
        }
        if (!layout.takes(fieldsFound) || problem == null) {
            return reject(place, 0, null, Reject.Code.FIELD_COUNT.text(), layout.fieldCountMessage(fieldsFound));
        }
        return reject(place, badField + 1, column, problem.code().name().toLowerCase(Locale.ROOT), problem.message());
    }

    /** Creates the reject for the first line of an oversized record. */
    static Reject oversized(Split split, int maxRecordBytes) {
        Place place = Place.of(
                split.linesSkipped(), split.fileOffset(split.start()), split.buffer(), split.start(), split.end());
        if (place.length() > maxRecordBytes) {
            return tooLong(place, maxRecordBytes);
        }
        return reject(
                place,
                0,
                null,
                Reject.Code.TOO_LONG.text(),
                tooLong(maxRecordBytes)
                        + "; is a quote not closed? Reading went on behind the first line of the record");
    }

    private static Reject tooLong(Place place, int maxRecordBytes) {
        byte[] beginning = Arrays.copyOfRange(place.buffer, place.from, place.from + maxRecordBytes);
        return new Reject(
                place.reject(),
                Reject.Problem.ofRecord(Reject.Code.TOO_LONG, tooLong(maxRecordBytes)),
                beginning,
                true);
    }

    private static Reject reject(Place place, int field, @Nullable String column, String code, String message) {
        byte[] record = Arrays.copyOfRange(place.buffer, place.from, place.to);
        return new Reject(place.reject(), new Reject.Problem(field, column, code, message), record, false);
    }

    private static String tooLong(int maxRecordBytes) {
        return "is longer than " + maxRecordBytes + " bytes, the limit for one record";
    }
}
