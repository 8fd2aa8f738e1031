package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;

/** The layout of a datum in keys and values: a SQL type without its limits, which the parser has checked. */
enum Shape {
    INT(3),
    /** Encoded as an INT in keys; in values the type number itself is true (10) or false (11). */
    BOOL(10),
    FLOAT(4),
    DECIMAL(5),
    BYTES(6),
    TIMESTAMP(8),
    UUID(12),
    INTERVAL(9),
    INET(14),
    BIT(17),
    TIMETZ(19),
    /** A document in its binary form, which the text package makes and reads. No key has it. */
    JSON(15),
    /** Elements in their binary form; no key has it. */
    ARRAY(13);

    /** The type number in value tags; {@link ValueEncoding#LONG_TYPE} and above take a byte of their own. */
    final int valueType;

    Shape(int valueType) {
        this.valueType = valueType;
    }

    static Shape of(TypeKind kind) {
        return switch (kind) {
            case INT2, INT4, INT8, DATE, TIME -> INT;
            case BOOL -> BOOL;
            case FLOAT4, FLOAT8 -> FLOAT;
            case DECIMAL -> DECIMAL;
            case STRING, BYTES -> BYTES;
            case TIMESTAMP, TIMESTAMPTZ -> TIMESTAMP;
            case UUID -> UUID;
            case INTERVAL -> INTERVAL;
            case INET -> INET;
            case BIT -> BIT;
            case TIMETZ -> TIMETZ;
            case JSON -> JSON;
            case ARRAY -> ARRAY;
        };
    }

    /** Whether the key encoding may lose information about a datum of this shape. */
    boolean mayBeComposite() {
        return this == DECIMAL || this == FLOAT;
    }

    /**
     * Whether the datum is composite: its key encoding loses information, so the value repeats it. True for a decimal
     * whose coefficient ends in 0 (specials count as 0) and for a negative zero. The datum must not be NULL.
     */
    boolean isComposite(Row row, int column) {
        return switch (this) {
            case FLOAT -> Double.doubleToRawLongBits(row.doubleValue(column)) == Long.MIN_VALUE;
            case DECIMAL ->
                switch (row.form(column)) {
                    case VALUE -> row.coefficient(column) % 10 == 0;
                    case BIG_DECIMAL -> DecimalEncoding.endsInZero(row.bigCoefficient(column));
                    case DECIMAL_NAN, DECIMAL_POSITIVE_INFINITY, DECIMAL_NEGATIVE_INFINITY -> true;
                    case NULL -> false;
                };
            default -> false;
        };
    }
}
