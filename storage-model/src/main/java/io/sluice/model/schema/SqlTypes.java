package io.sluice.model.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maps the type names of all systems to column types. INT and INTEGER have 8 bytes as in CockroachDB. A type that the
 * data model lacks becomes the nearest one with a note.
 */
final class SqlTypes {
    private static final int MAX_DECIMAL_PRECISION = 1000;
    private static final int MAX_FLOAT4_BITS = 24;
    private static final int MAX_FLOAT8_BITS = 53;
    private static final int MONEY_DIGITS = 19;
    private static final int SMALL_MONEY_DIGITS = 10;
    private static final int MONEY_SCALE = 4;
    private static final int HUGEINT_DIGITS = 39;

    /** Fraction digits of SQL Server's times, one more than a column holds. */
    private static final int SQL_SERVER_PRECISION = 7;

    private static final String AS_TEXT = "stored and compared as text, which an import does not check";
    static final String NOT_GENERATED = "an import generates no numbers; fill the column from the input";

    /** For dumps of systems whose INT has 4 bytes. */
    static final String WIDE_INT = "INT has 8 bytes here, as in CockroachDB; write INT4 for 4 bytes";

    private static final String NARROW_REAL =
            "REAL has 4 bytes here, as in PostgreSQL and CockroachDB; write FLOAT8 for the 8 bytes of SQLite and MySQL";

    /** SQL Server's number of a row's version; in its scripts TIMESTAMP is another name of it. */
    private static final Typed ROW_VERSION =
            new Typed(ColumnType.of(TypeKind.BYTES), "ROWVERSION is taken as BYTES", false);

    /** Words that continue a type name. */
    private static final Map<String, Set<String>> LONG_NAMES = Map.of(
            "double", Set.of("PRECISION"),
            "character", Set.of("VARYING", "LARGE", "OBJECT"),
            "char", Set.of("VARYING", "BYTE"),
            "bit", Set.of("VARYING"),
            "binary", Set.of("VARYING", "LARGE", "OBJECT"),
            "national", Set.of("CHARACTER", "CHAR", "VARCHAR", "VARYING"),
            "native", Set.of("CHARACTER"),
            "varying", Set.of("CHARACTER"),
            "unsigned", Set.of("BIG", "INT"),
            "long", Set.of("VARCHAR", "VARBINARY", "RAW"));

    private static final Set<String> INTERVAL_FIELDS = Set.of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO");

    /** Types that the file declares, by name in lower case. */
    private final Map<String, Typed> declared;

    /** Whether REAL has 8 bytes. */
    private final boolean wideReal;

    private final boolean optional;

    SqlTypes(Map<String, Typed> declared, boolean wideReal, boolean optional) {
        this.declared = declared;
        this.wideReal = wideReal;
        this.optional = optional;
    }

    /** Whether columns need no type. */
    boolean areOptional() {
        return optional;
    }

    /**
     * A column type for a type as written.
     *
     * @param note what differs from the type as written; null if nothing does
     * @param serial whether the system generates the values
     */
    record Typed(ColumnType type, @Nullable String note, boolean serial) {
        static Typed of(ColumnType type) {
            return new Typed(type, null, false);
        }

        static Typed text(String written) {
            return new Typed(ColumnType.of(TypeKind.STRING), written + " is " + AS_TEXT, false);
        }
    }

    /** The parts of a type as written: its name in lower case, what is in its parentheses, and the words after it. */
    private record Shape(String name, List<String> arguments, boolean unsigned, boolean bracketed, String written) {}

    /**
     * Parses a type.
     *
     * @throws BadType if the type is not supported; the message says why
     */
    Typed read(TokenCursor cursor) throws BadType {
        int start = cursor.position();
        boolean bracketed = cursor.next().startsWith("[");
        String name = cursor.qualifiedName("a type").toLowerCase(Locale.ROOT);
        StringBuilder full = new StringBuilder(name);
        Set<String> more = LONG_NAMES.getOrDefault(name, Set.of());
        while (more.stream().anyMatch(cursor::isWord)) {
            full.append(' ').append(cursor.name("a type"));
        }
        if (name.equals("interval")) {
            intervalFields(cursor);
        }
        List<String> arguments = new ArrayList<>();
        if (cursor.isSymbol('(')) {
            cursor.parenthesized().stream()
                    .filter(t -> !t.isSymbol(','))
                    .map(Token::text)
                    .forEach(arguments::add);
        }
        if (name.equals("time") || name.equals("timestamp")) {
            if (cursor.take("WITH", "TIME", "ZONE") || cursor.take("WITH", "LOCAL", "TIME", "ZONE")) {
                full.append("tz");
            } else {
                cursor.take("WITHOUT", "TIME", "ZONE");
            }
        }
        boolean unsigned = false;
        while (cursor.isWord("UNSIGNED") || cursor.isWord("SIGNED") || cursor.isWord("ZEROFILL")) {
            // ZEROFILL implies UNSIGNED.
            unsigned |= !cursor.isWord("SIGNED");
            cursor.skip();
        }
        int dimensions = cursor.take("ARRAY") ? 1 : 0;
        for (int brackets = 1; cursor.take('['); brackets++) {
            dimensions = Math.max(dimensions, brackets);
            while (!cursor.atEnd() && !cursor.take(']')) {
                cursor.skip();
            }
        }
        StringBuilder written = new StringBuilder();
        for (Token token : cursor.since(start)) {
            boolean tight = "(),[].".contains(token.text())
                    || written.length() == 0
                    || "([.".indexOf(written.charAt(written.length() - 1)) >= 0;
            written.append(tight ? "" : " ").append(token.text());
        }
        Typed type = of(new Shape(full.toString(), arguments, unsigned, bracketed, written.toString()));
        if (dimensions == 0) {
            return type;
        }
        // CockroachDB 20.2 has neither arrays of arrays nor arrays of documents.
        return dimensions == 1 && type.type().hasKeys()
                ? new Typed(ColumnType.arrayOf(type.type()), type.note(), false)
                : Typed.text(written.toString());
    }

    private static void intervalFields(TokenCursor cursor) {
        while (INTERVAL_FIELDS.stream().anyMatch(cursor::isWord)) {
            cursor.skip();
        }
    }

    private Typed of(Shape type) throws BadType {
        Typed known = declared.get(type.name());
        if (known != null) {
            return known;
        }
        return switch (type.name()) {
            case "bool", "boolean" -> plain(TypeKind.BOOL, type);
            case "bit" ->
                type.arguments().isEmpty() || type.arguments().equals(List.of("1"))
                        ? new Typed(ColumnType.of(TypeKind.BOOL), "BIT is taken as BOOL", false)
                        : bits(type, true);
            case "varbit", "bit varying" -> bits(type, false);
            case "inet" -> plain(TypeKind.INET, type);
            case "timetz" -> temporal(TypeKind.TIMETZ, type);
            case "interval" ->
                type.written().equalsIgnoreCase("interval")
                        ? Typed.of(ColumnType.of(TypeKind.INTERVAL))
                        : new Typed(
                                ColumnType.of(TypeKind.INTERVAL),
                                type.written() + " is taken as INTERVAL, with all fields",
                                false);
            case "enum" ->
                labels(
                        type.arguments().stream()
                                .map(label -> label.substring(1, label.length() - 1))
                                .toList(),
                        "ENUM");
            case "tinyint" -> integer(TypeKind.INT2, 8, type.bracketed(), type);
            case "utinyint", "uint8" -> integer(TypeKind.INT2, 8, true, type);
            case "smallint" -> integer(TypeKind.INT2, 16, false, type);
            case "int2" -> plain(TypeKind.INT2, type);
            case "usmallint", "uint16" -> integer(TypeKind.INT4, 16, true, type);
            case "mediumint" -> integer(TypeKind.INT4, 24, false, type);
            case "int4", "int32" -> plain(TypeKind.INT4, type);
            case "uinteger", "uint32" -> integer(TypeKind.INT8, 32, true, type);
            case "int", "integer" ->
                type.unsigned()
                        ? integer(TypeKind.INT8, 32, true, type)
                        : type.bracketed()
                                ? plain(TypeKind.INT4, type)
                                : new Typed(
                                        integer(TypeKind.INT8, 64, false, type).type(), WIDE_INT, false);
            case "bigint" -> integer(TypeKind.INT8, 64, false, type);
            case "int8", "int64" -> plain(TypeKind.INT8, type);
            case "ubigint", "uint64", "unsigned big int" -> integer(TypeKind.INT8, 64, true, type);
            case "hugeint", "uhugeint" ->
                new Typed(
                        new ColumnType(TypeKind.DECIMAL, HUGEINT_DIGITS, 0, 0),
                        type.written() + " is taken as DECIMAL(39,0)",
                        false);
            case "bignum", "varint" ->
                new Typed(
                        ColumnType.of(TypeKind.DECIMAL),
                        type.written() + " is taken as DECIMAL, with all digits",
                        false);
            case "serial", "serial8", "bigserial" -> serial(TypeKind.INT8);
            case "serial4" -> serial(TypeKind.INT4);
            case "serial2", "smallserial" -> serial(TypeKind.INT2);
            case "year" -> new Typed(ColumnType.of(TypeKind.INT2), "YEAR is taken as INT2", false);
            case "oid" -> new Typed(ColumnType.integer(TypeKind.INT8, 32, true), "OID is taken as INT UNSIGNED", false);
            case "float4" -> plain(TypeKind.FLOAT4, type);
            case "real" ->
                wideReal
                        ? floating(type)
                        : new Typed(plain(TypeKind.FLOAT4, type).type(), type.bracketed() ? null : NARROW_REAL, false);
            case "float8", "double precision" -> plain(TypeKind.FLOAT8, type);
            case "float", "double" -> floating(type);
            case "decimal", "numeric", "dec", "number", "fixed" -> decimal(type);
            case "money" -> money(MONEY_DIGITS);
            case "smallmoney" -> money(SMALL_MONEY_DIGITS);
            case "string",
                    "text",
                    "varchar",
                    "character varying",
                    "char varying",
                    "nvarchar",
                    "varchar2",
                    "nvarchar2",
                    "national varchar",
                    "national character varying",
                    "national char varying",
                    "tinytext",
                    "mediumtext",
                    "longtext",
                    "long",
                    "long varchar",
                    "native character",
                    "varying character",
                    "ntext",
                    "clob",
                    "nclob",
                    "character large object",
                    "sysname" -> string(type, 0);
            case "char", "character", "bpchar", "nchar", "national character", "national char" ->
                string(type, type.name().equals("bpchar") ? 0 : 1);
            case "name" -> string(type, 0);
            case "bytes",
                    "bytea",
                    "blob",
                    "varbinary",
                    "binary varying",
                    "tinyblob",
                    "mediumblob",
                    "longblob",
                    "long varbinary",
                    "long raw",
                    "image",
                    "binary large object" -> bytes(type, 0);
            case "binary" -> bytes(type, 0);
            case "rowversion" -> ROW_VERSION;
            case "date" -> plain(TypeKind.DATE, type);
            case "time", "time_ns" -> temporal(TypeKind.TIME, type);
            case "timestamp" -> type.bracketed() ? ROW_VERSION : temporal(TypeKind.TIMESTAMP, type);
            case "datetime", "datetime2", "timestamp_s", "timestamp_ms", "timestamp_us", "timestamp_ns" ->
                temporal(TypeKind.TIMESTAMP, type);
            case "smalldatetime" -> Typed.of(new ColumnType(TypeKind.TIMESTAMP, 0, 0, 0));
            case "timestamptz", "datetimeoffset" -> temporal(TypeKind.TIMESTAMPTZ, type);
            case "uuid" -> plain(TypeKind.UUID, type);
            case "uniqueidentifier" -> plain(TypeKind.UUID, type);
            case "json", "jsonb" -> plain(TypeKind.JSON, type);
            case "xml",
                    "set",
                    "cidr",
                    "macaddr",
                    "macaddr8",
                    "inet4",
                    "inet6",
                    "citext",
                    "hstore",
                    "tsvector",
                    "tsquery",
                    "point",
                    "line",
                    "lseg",
                    "box",
                    "path",
                    "polygon",
                    "circle",
                    "geometry",
                    "geography",
                    "linestring",
                    "multipoint",
                    "multilinestring",
                    "multipolygon",
                    "geometrycollection",
                    "geomcollection",
                    "box2d",
                    "box3d",
                    "int4range",
                    "int8range",
                    "numrange",
                    "tsrange",
                    "tstzrange",
                    "daterange",
                    "int4multirange",
                    "int8multirange",
                    "nummultirange",
                    "tsmultirange",
                    "tstzmultirange",
                    "datemultirange",
                    "jsonpath",
                    "ltree",
                    "pg_lsn",
                    "halfvec",
                    "sparsevec",
                    "struct",
                    "map",
                    "union",
                    "list",
                    "sql_variant",
                    "hierarchyid",
                    "any",
                    "variant",
                    "null",
                    "xid",
                    "xid8",
                    "cid",
                    "tid",
                    "pg_snapshot",
                    "txid_snapshot",
                    "refcursor",
                    "regclass",
                    "regcollation",
                    "regconfig",
                    "regdictionary",
                    "regnamespace",
                    "regoper",
                    "regoperator",
                    "regproc",
                    "regprocedure",
                    "regrole",
                    "regtype",
                    "vector" -> Typed.text(type.written().replaceAll("\\(.*", ""));
            default ->
                throw new BadType("unknown type " + type.written()
                        + "; write a type of docs/reference/schemas.md, or STRING to store the value as text");
        };
    }

    private static Typed plain(TypeKind kind, Shape type) throws BadType {
        if (!type.arguments().isEmpty()) {
            throw new BadType("type " + type.written() + " takes nothing in parentheses; leave them out");
        }
        return Typed.of(ColumnType.of(kind));
    }

    /** An integer of some bits. MySQL's width in parentheses is for display and has no meaning. */
    private static Typed integer(TypeKind kind, int bits, boolean unsigned, Shape type) throws BadType {
        if (type.arguments().size() > 1) {
            throw new BadType(
                    "type " + type.written() + ": expected at most one number in parentheses; leave them out");
        }
        boolean positive = unsigned || type.unsigned();
        TypeKind wide = !type.unsigned() ? kind : bits == 16 ? TypeKind.INT4 : kind;
        return bits == 64 && positive
                ? new Typed(
                        ColumnType.integer(wide, bits, true),
                        type.written() + " takes values up to 9223372036854775807; larger ones are rejects",
                        false)
                : Typed.of(ColumnType.integer(wide, bits, positive));
    }

    private static Typed serial(TypeKind kind) {
        return new Typed(ColumnType.of(kind), null, true);
    }

    /** Maps FLOAT(bits) of the SQL standard, and FLOAT(digits, scale) and DOUBLE of MySQL. */
    private static Typed floating(Shape type) throws BadType {
        int[] numbers = numbers(type);
        ColumnType wide = ColumnType.of(TypeKind.FLOAT8);
        String signed = type.unsigned() ? type.written() + " also takes negative values" : null;
        if (numbers.length == 0) {
            return new Typed(wide, signed, false);
        }
        if (numbers.length == 2) {
            return new Typed(wide, type.written() + " is taken as FLOAT8, which does not round to a scale", false);
        }
        int bits = only(numbers, 1, MAX_FLOAT8_BITS, type);
        return new Typed(ColumnType.of(bits <= MAX_FLOAT4_BITS ? TypeKind.FLOAT4 : TypeKind.FLOAT8), signed, false);
    }

    private static Typed decimal(Shape type) throws BadType {
        int[] numbers = numbers(type);
        String signed = type.unsigned() ? type.written() + " also takes negative values" : null;
        if (numbers.length == 0) {
            return new Typed(ColumnType.of(TypeKind.DECIMAL), signed, false);
        }
        int precision = numbers[0];
        int scale = numbers.length > 1 ? numbers[1] : 0;
        if (numbers.length > 2 || precision < 1 || precision > MAX_DECIMAL_PRECISION || scale > precision) {
            throw new BadType("type " + type.written() + ": the precision must be 1 to " + MAX_DECIMAL_PRECISION
                    + " digits and the scale no more than that");
        }
        return new Typed(new ColumnType(TypeKind.DECIMAL, precision, scale, 0), signed, false);
    }

    /** Strings that an import checks against the labels of an ENUM. */
    static Typed labels(List<String> labels, String written) {
        return labels.isEmpty()
                ? Typed.text(written)
                : new Typed(
                        ColumnType.ofLabels(labels),
                        written + " is stored and compared as the text of its label",
                        false);
    }

    private static Typed bits(Shape type, boolean exact) throws BadType {
        int[] numbers = numbers(type);
        return Typed.of(ColumnType.bits(numbers.length == 0 ? 0 : only(numbers, 1, Integer.MAX_VALUE, type), exact));
    }

    private static Typed money(int digits) {
        ColumnType type = new ColumnType(TypeKind.DECIMAL, digits, MONEY_SCALE, 0);
        return new Typed(type, "MONEY is taken as " + type.sql() + ", without currency signs", false);
    }

    private static Typed string(Shape type, int defaultLength) throws BadType {
        return Typed.of(new ColumnType(TypeKind.STRING, 0, 0, length(type, defaultLength)));
    }

    private static Typed bytes(Shape type, int defaultLength) throws BadType {
        return Typed.of(new ColumnType(TypeKind.BYTES, 0, 0, length(type, defaultLength)));
    }

    private static int length(Shape type, int defaultLength) throws BadType {
        boolean max = type.arguments().size() == 1 && type.arguments().get(0).equalsIgnoreCase("max");
        if (max) {
            return 0;
        }
        int[] numbers = numbers(type);
        return numbers.length == 0 ? defaultLength : only(numbers, 1, Integer.MAX_VALUE, type);
    }

    private static Typed temporal(TypeKind kind, Shape type) throws BadType {
        int[] numbers = numbers(type);
        int max = ColumnType.DEFAULT_TIME_PRECISION;
        if (type.name().endsWith("_ns") || (numbers.length == 1 && numbers[0] == SQL_SERVER_PRECISION)) {
            return new Typed(ColumnType.of(kind), type.written() + " is rounded to microseconds", false);
        }
        return numbers.length == 0
                ? Typed.of(ColumnType.of(kind))
                : Typed.of(new ColumnType(kind, only(numbers, 0, max, type), 0, 0));
    }

    private static int[] numbers(Shape type) throws BadType {
        int[] numbers = new int[type.arguments().size()];
        for (int i = 0; i < numbers.length; i++) {
            String part = type.arguments().get(i);
            if (!part.matches("[0-9]{1,9}")) {
                throw new BadType(
                        "type " + type.written() + ": expected a number instead of " + part + " in the parentheses");
            }
            numbers[i] = Integer.parseInt(part);
        }
        return numbers;
    }

    private static int only(int[] numbers, int min, int max, Shape type) throws BadType {
        if (numbers.length != 1 || numbers[0] < min || numbers[0] > max) {
            throw new BadType("type " + type.written() + ": one number"
                    + (max == Integer.MAX_VALUE ? " from " + min : " from " + min + " to " + max)
                    + " must stand in the parentheses");
        }
        return numbers[0];
    }

    /** The type is not supported. */
    static final class BadType extends Exception {
        BadType(String message) {
            super(message);
        }
    }
}
