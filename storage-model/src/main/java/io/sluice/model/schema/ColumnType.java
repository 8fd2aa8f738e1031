package io.sluice.model.schema;

/**
 * A column's type with its limits.
 *
 * @param kind kind of the values
 * @param precision total digits of a DECIMAL (0: unlimited), or fraction digits 0..6 of TIME, TIMESTAMP, TIMESTAMPTZ
 * @param scale fraction digits of a DECIMAL with a precision
 * @param maxLength maximum length of a STRING in code points, or of BYTES in bytes; 0: unlimited
 */
public record ColumnType(TypeKind kind, int precision, int scale, int maxLength) {
    /** Fraction digits of a time or timestamp without a declared precision: microseconds. */
    public static final int DEFAULT_TIME_PRECISION = 6;

    public static ColumnType of(TypeKind kind) {
        return switch (kind) {
            case TIME, TIMESTAMP, TIMESTAMPTZ -> new ColumnType(kind, DEFAULT_TIME_PRECISION, 0, 0);
            default -> new ColumnType(kind, 0, 0, 0);
        };
    }

    /** Formats the type as DDL. */
    public String sql() {
        return switch (kind) {
            case DECIMAL -> precision == 0 ? "DECIMAL" : "DECIMAL(" + precision + "," + scale + ")";
            case STRING, BYTES -> maxLength == 0 ? kind.name() : kind.name() + "(" + maxLength + ")";
            case TIME, TIMESTAMP, TIMESTAMPTZ ->
                precision == DEFAULT_TIME_PRECISION ? kind.name() : kind.name() + "(" + precision + ")";
            default -> kind.name();
        };
    }
}
