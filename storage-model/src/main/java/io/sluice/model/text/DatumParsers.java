package io.sluice.model.text;

import io.sluice.model.schema.ColumnType;

/**
 * Creates the parser of a column's type. All parsers ignore ASCII white space around the text, except those of STRING
 * and BYTES, where every byte counts.
 */
public final class DatumParsers {
    private DatumParsers() {}

    /** Creates the parser of a column type; thread-safe and usable for all columns of that type. */
    public static DatumParser of(ColumnType type) {
        return switch (type.kind()) {
            case BOOL -> new BoolParser();
            case INT2 -> new IntParser("INT2", Short.MIN_VALUE, Short.MAX_VALUE);
            case INT4 -> new IntParser("INT4", Integer.MIN_VALUE, Integer.MAX_VALUE);
            case INT8 -> new IntParser("INT8", Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT4 -> new FloatParser(true);
            case FLOAT8 -> new FloatParser(false);
            case DECIMAL -> new DecimalParser(type);
            case STRING -> new StringParser(type);
            case BYTES -> new BytesParser(type);
            case DATE -> new DateParser();
            case TIME -> new TimeParser(type);
            case TIMESTAMP, TIMESTAMPTZ -> new TimestampParser(type);
            case UUID -> new UuidParser();
        };
    }
}
