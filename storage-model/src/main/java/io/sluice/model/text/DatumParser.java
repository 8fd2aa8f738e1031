package io.sluice.model.text;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses text of one column into a row's slot. Immutable and thread-safe; does not allocate for valid text, except for
 * JSON and arrays.
 */
public interface DatumParser {
    /**
     * Parses UTF-8 text into a slot.
     *
     * @param buffer buffer with the text; a STRING slot points into it
     * @param from start of the text, inclusive
     * @param to end of the text, exclusive
     * @return null when the slot was set, else why it was not
     */
    @Nullable
    DatumProblem parse(byte[] buffer, int from, int to, Row row, int column);

    /**
     * Reads a text into a slot. Half a surrogate pair is no character; encoding would put a question mark in its place.
     *
     * @return null when the slot was set, else why it was not
     */
    default @Nullable DatumProblem parse(String text, Row row, int column) {
        if (!isWhole(text)) {
            return new DatumProblem(
                    DatumProblem.Code.BAD_UTF8, "holds half a character: one surrogate without the other");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(bytes, 0, bytes.length, row, column);
    }

    /** Whether a text is made of whole characters, that is, every surrogate has its other half. */
    static boolean isWhole(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /**
     * Creates the parser of a column type; usable for all columns of that type. It ignores ASCII white space around the
     * text, except for STRING and BYTES, where every byte counts.
     */
    static DatumParser of(ColumnType type) {
        return switch (type.kind()) {
            case BOOL -> new BoolParser();
            case INT2, INT4, INT8 -> new IntParser(type);
            case FLOAT4 -> new FloatParser(true);
            case FLOAT8 -> new FloatParser(false);
            case DECIMAL -> new DecimalParser(type);
            case STRING -> new StringParser(type);
            case BYTES -> new BytesParser(type);
            case DATE -> new DateParser();
            case TIME, TIMETZ -> new TimeParser(type);
            case INTERVAL -> new IntervalParser();
            case INET -> new InetParser();
            case BIT -> new BitParser(type);
            case TIMESTAMP, TIMESTAMPTZ -> new TimestampParser(type);
            case UUID -> new UuidParser();
            case JSON -> new JsonParser();
            case ARRAY -> new ArrayParser(type);
        };
    }
}
