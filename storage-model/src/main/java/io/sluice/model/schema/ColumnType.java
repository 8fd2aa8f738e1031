package io.sluice.model.schema;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A column's type with its limits.
 *
 * @param kind kind of the values
 * @param precision total digits of a DECIMAL (0: unlimited), or fraction digits 0..6 of TIME, TIMETZ, TIMESTAMP,
 *     TIMESTAMPTZ, or bits of an integer whose range is smaller than its kind's (0: the kind's range), or 1 for BIT(n)
 * @param scale fraction digits of a DECIMAL with a precision; 1 for an integer without negative values
 * @param maxLength maximum length of a STRING in code points, of BYTES in bytes, or of BIT in bits; 0: unlimited
 * @param labels the only values of a STRING that was declared as ENUM, in their order; empty: any
 * @param element type of the elements of an ARRAY; null for other types
 */
public record ColumnType(
        TypeKind kind,
        int precision,
        int scale,
        int maxLength,
        List<String> labels,
        @Nullable ColumnType element) {
    /** Fraction digits of a time or timestamp without a declared precision: microseconds. */
    public static final int DEFAULT_TIME_PRECISION = 6;

    /** Records that earlier builds wrote have neither labels nor an element. */
    public ColumnType(
            TypeKind kind,
            int precision,
            int scale,
            int maxLength,
            @Nullable List<String> labels,
            @Nullable ColumnType element) {
        this.kind = kind;
        this.precision = precision;
        this.scale = scale;
        this.maxLength = maxLength;
        this.labels = labels == null ? List.of() : List.copyOf(labels);
        this.element = element;
    }

    /** A type without labels. */
    public ColumnType(TypeKind kind, int precision, int scale, int maxLength) {
        this(kind, precision, scale, maxLength, List.of(), null);
    }

    /** A STRING that takes only these values. */
    public static ColumnType ofLabels(List<String> labels) {
        return new ColumnType(TypeKind.STRING, 0, 0, 0, labels, null);
    }

    /** An ARRAY of elements of a type, which is neither JSON nor ARRAY. */
    public static ColumnType arrayOf(ColumnType element) {
        return new ColumnType(TypeKind.ARRAY, 0, 0, 0, List.of(), element);
    }

    /** Type of the elements of an ARRAY. */
    public ColumnType elementType() {
        return Objects.requireNonNull(element, "no ARRAY");
    }

    /** Whether an index may have columns of the type. CockroachDB 20.2 has no ordered keys of the others. */
    public boolean hasKeys() {
        return kind != TypeKind.JSON && kind != TypeKind.ARRAY;
    }

    /** BIT(n), whose values have n bits, or VARBIT(n), whose values have at most n. */
    public static ColumnType bits(int bits, boolean exact) {
        return new ColumnType(TypeKind.BIT, exact ? 1 : 0, 0, bits);
    }

    /** Whether all values of a BIT type have its maximum length. */
    public boolean hasFixedLength() {
        return precision == 1;
    }

    public static ColumnType of(TypeKind kind) {
        return switch (kind) {
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> new ColumnType(kind, DEFAULT_TIME_PRECISION, 0, 0);
            default -> new ColumnType(kind, 0, 0, 0);
        };
    }

    /** An integer of some bits: TINYINT, MEDIUMINT and the UNSIGNED types. */
    public static ColumnType integer(TypeKind kind, int bits, boolean unsigned) {
        boolean whole = !unsigned && bits == kindBits(kind);
        return whole ? of(kind) : new ColumnType(kind, bits, unsigned ? 1 : 0, 0);
    }

    /** The smallest value of an integer type. */
    public long minInt() {
        return scale == 1 ? 0 : -1L << (intBits() - 1);
    }

    /** The largest value of an integer type. BIGINT UNSIGNED ends where INT8 does. */
    public long maxInt() {
        int valueBits = scale == 1 ? intBits() : intBits() - 1;
        return Long.MAX_VALUE >>> Math.max(0, Long.SIZE - 1 - valueBits);
    }

    private int intBits() {
        return precision == 0 ? kindBits(kind) : precision;
    }

    private static int kindBits(TypeKind kind) {
        return switch (kind) {
            case INT2 -> Short.SIZE;
            case INT4 -> Integer.SIZE;
            case INT8 -> Long.SIZE;
            default -> throw new IllegalStateException(kind + " is no integer");
        };
    }

    private String intSql() {
        String name =
                switch (intBits()) {
                    case 8 -> "TINYINT";
                    case 16 -> "SMALLINT";
                    case 24 -> "MEDIUMINT";
                    case 32 -> "INT";
                    default -> "BIGINT";
                };
        return precision == 0 ? kind.name() : scale == 1 ? name + " UNSIGNED" : name;
    }

    /** Formats the type as DDL. */
    public String sql() {
        return switch (kind) {
            case INT2, INT4, INT8 -> intSql();
            case DECIMAL -> precision == 0 ? "DECIMAL" : "DECIMAL(" + precision + "," + scale + ")";
            case STRING ->
                !labels.isEmpty()
                        ? labels.stream()
                                .map(label -> "'" + label.replace("'", "''") + "'")
                                .collect(Collectors.joining(", ", "ENUM(", ")"))
                        : maxLength == 0 ? kind.name() : kind.name() + "(" + maxLength + ")";
            case BIT -> (precision == 1 ? "BIT" : "VARBIT") + (maxLength == 0 ? "" : "(" + maxLength + ")");
            case BYTES -> maxLength == 0 ? kind.name() : kind.name() + "(" + maxLength + ")";
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ ->
                precision == DEFAULT_TIME_PRECISION ? kind.name() : kind.name() + "(" + precision + ")";
            case JSON -> "JSONB";
            case ARRAY -> elementType().sql() + "[]";
            default -> kind.name();
        };
    }
}
