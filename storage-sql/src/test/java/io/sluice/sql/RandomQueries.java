package io.sluice.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Draws rows of a table, and queries on it. */
final class RandomQueries {
    static final String DDL = """
            CREATE TABLE q (id INT8 PRIMARY KEY, i INT8, j INT8 NOT NULL, d DECIMAL(8,2), f FLOAT8, s TEXT, u TEXT NOT NULL,
                b BOOL, dt DATE, ts TIMESTAMP, INDEX by_ij (i, j), INDEX by_s (s), INDEX by_d (d DESC), INDEX by_t (dt, u DESC));
            """;
    /** PostgreSQL has indexes in statements of their own; it needs none. */
    static final String POSTGRES_DDL = """
            CREATE TABLE q (id INT8 PRIMARY KEY, i INT8, j INT8 NOT NULL, d DECIMAL(8,2), f FLOAT8, s TEXT, u TEXT NOT NULL,
                b BOOL, dt DATE, ts TIMESTAMP)""";

    private static final List<String> TEXTS = List.of(
            "",
            "a",
            "A",
            "ab",
            "abc",
            "b%",
            "a_c",
            "Zebra",
            "\u00e4",
            "\u20ac",
            "\uffee",
            "\ud83d\ude00",
            "x y",
            "x'y",
            "10");

    private static final Pattern COLUMN = Pattern.compile("\\b(id|i|j|d|f|s|u|b|dt|ts)\\b");

    private final Random random;

    RandomQueries(Random random) {
        this.random = random;
    }

    /** A type of expressions. */
    private enum Type {
        INT,
        DEC,
        FLT,
        TXT,
        BOOL,
        DATE,
        TIME
    }

    /**
     * A query.
     *
     * @param sql for both systems
     * @param ordered whether its order is total, so that results are compared as lists
     */
    record Query(String sql, boolean ordered) {}

    List<@Nullable String> row(int id) {
        return Arrays.asList(
                Integer.toString(id),
                nullable(Integer.toString(random.nextInt(9) - 3)),
                Integer.toString(random.nextInt(5)),
                nullable((random.nextInt(2001) - 1000) / 100 + "." + (10 + random.nextInt(90))),
                nullable(Double.toString((random.nextInt(41) - 20) / 4.0)),
                nullable(text()),
                text(),
                nullable(Boolean.toString(random.nextBoolean())),
                nullable("2024-02-" + (10 + random.nextInt(19))),
                nullable("2024-02-" + (10 + random.nextInt(19)) + " 1" + random.nextInt(10) + ":00:00"
                        + (random.nextBoolean() ? "" : ".5")));
    }

    private @Nullable String nullable(String text) {
        return random.nextInt(5) == 0 ? null : text;
    }

    private String text() {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "NULL" : "'" + text.replace("'", "''") + "'";
    }

    /** The INSERT of rows, as PostgreSQL takes it. */
    static String insert(List<List<@Nullable String>> rows) {
        List<String> values = new ArrayList<>();
        for (List<@Nullable String> row : rows) {
            values.add("("
                    + String.join(", ", row.stream().map(RandomQueries::quoted).toList()) + ")");
        }
        return "INSERT INTO q VALUES " + String.join(", ", values);
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    @SafeVarargs
    private final <T> T any(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    Query query() {
        String where = oneIn(6) ? "" : " WHERE " + condition(3);
        return oneIn(3) ? grouped(where) : rows(where);
    }

    private Query rows(String where) {
        boolean distinct = oneIn(5);
        List<String> outputs = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            outputs.add(output(any(Type.values()), 2));
        }
        if (!distinct && oneIn(6)) {
            outputs.add("*");
        }
        String select = "SELECT " + (distinct ? "DISTINCT " : "") + String.join(", ", outputs) + " FROM q" + where;
        if (oneIn(3)) {
            return new Query(select, false);
        }
        List<String> order = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String key = distinct || oneIn(3)
                    ? Integer.toString(1 + random.nextInt(count))
                    : oneIn(2) ? column(any(Type.values())) : value(any(Type.values()), 1) + " ";
            order.add((key.matches("[0-9]+") || refersToColumn(key) ? key : "i") + direction());
        }
        if (distinct) {
            for (int i = 1; i <= count; i++) {
                order.add(i + direction());
            }
        } else {
            // An output may be called id, too.
            order.add("id + 0" + direction());
        }
        return new Query(select + " ORDER BY " + String.join(", ", order) + limit(), true);
    }

    /** PostgreSQL takes no constants as keys. */
    private static boolean refersToColumn(String value) {
        return COLUMN.matcher(value.replaceAll("'[^']*'", "")).find();
    }

    private String direction() {
        return any("", "", " ASC", " DESC") + any("", "", " NULLS FIRST", " NULLS LAST");
    }

    private String limit() {
        return any(
                "",
                "",
                " LIMIT " + random.nextInt(30),
                " LIMIT " + random.nextInt(30) + " OFFSET " + random.nextInt(10),
                " OFFSET " + random.nextInt(20));
    }

    private Query grouped(String where) {
        List<String> keys = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            keys.add(oneIn(2) ? column(any(Type.values())) : "(" + value(any(Type.values()), 1) + ")");
        }
        keys.removeIf(key -> !refersToColumn(key));
        List<String> outputs = new ArrayList<>();
        keys.forEach(key -> outputs.add("(" + key + ")::TEXT"));
        for (int i = random.nextInt(3); i >= 0; i--) {
            outputs.add(aggregate());
        }
        String sql = "SELECT " + String.join(", ", outputs) + " FROM q" + where
                + (keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys))
                + (oneIn(4) ? " HAVING " + any("count(*) > 1", "sum(i) > 2", "min(j) < 3 OR max(d) IS NULL") : "");
        if (keys.isEmpty() || oneIn(2)) {
            return new Query(sql, false);
        }
        List<String> order = new ArrayList<>();
        if (oneIn(2)) {
            order.add(any("count(*)", "sum(j)", "min(id)") + direction());
        }
        keys.forEach(key -> order.add(key + direction()));
        return new Query(sql + " ORDER BY " + String.join(", ", order) + limit(), true);
    }

    private String aggregate() {
        String distinct = oneIn(5) ? "DISTINCT " : "";
        return switch (random.nextInt(7)) {
            case 0 -> "count(*)";
            case 1 -> "count(" + distinct + value(any(Type.values()), 1) + ")";
            case 2 -> "sum(" + distinct + value(any(Type.INT, Type.DEC), 1) + ")";
            case 3 -> "sum(" + any("f", "f * 2", "f - i") + ")";
            case 4 -> "avg(" + value(any(Type.INT, Type.DEC), 1) + ")";
            case 5 -> "avg(f) + 1";
            default ->
                any("min", "max") + "(" + distinct
                        + value(any(Type.INT, Type.DEC, Type.FLT, Type.TXT, Type.DATE, Type.TIME), 1) + ")";
        };
    }

    /** psql shows truth values in another form than their texts. */
    private String output(Type type, int depth) {
        String value = value(type, depth);
        return (type == Type.BOOL ? "CAST(" + value + " AS TEXT)" : value)
                + (oneIn(5) ? " AS n" + random.nextInt(99) : "");
    }

    private String column(Type type) {
        return switch (type) {
            case INT -> any("id", "i", "j");
            case DEC -> "d";
            case FLT -> "f";
            case TXT -> any("s", "u");
            case BOOL -> "b";
            case DATE -> "dt";
            case TIME -> "ts";
        };
    }

    private String literal(Type type) {
        return switch (type) {
            case INT -> Integer.toString(random.nextInt(9) - 3);
            case DEC -> any("0.5", "-1.25", "3.00", "2.5", "100.01");
            case FLT -> "CAST('" + any("0.5", "-1.25", "2", "1e3") + "' AS FLOAT8)";
            case TXT -> quoted(text());
            case BOOL -> any("TRUE", "FALSE");
            case DATE -> "DATE '2024-02-" + (10 + random.nextInt(19)) + "'";
            case TIME -> "TIMESTAMP '2024-02-" + (10 + random.nextInt(19)) + " 12:00:00'";
        };
    }

    private String value(Type type, int depth) {
        if (depth == 0 || oneIn(3)) {
            return oneIn(4) ? literal(type) : column(type);
        }
        if (oneIn(8)) {
            return "CASE WHEN " + condition(depth - 1) + " THEN " + value(type, depth - 1)
                    + any("", " ELSE " + value(type, depth - 1)) + " END";
        }
        if (oneIn(10)) {
            return any("coalesce", "nullif") + "(" + value(type, depth - 1) + ", " + value(type, depth - 1) + ")";
        }
        return switch (type) {
            case INT ->
                any(
                        "(" + value(type, depth - 1) + any(" + ", " - ", " * ") + value(type, depth - 1) + ")",
                        value(type, depth - 1) + any(" + ", " - ", " * ") + column(type),
                        "(" + value(type, depth - 1) + any(" / ", " % ") + "nullif(" + value(type, depth - 1) + ", 0))",
                        "abs(" + value(type, depth - 1) + ")",
                        "-" + column(type),
                        "length(" + value(Type.TXT, depth - 1) + ")::INT8",
                        "CAST(" + value(any(Type.DEC, Type.FLT), depth - 1) + " AS INT8)");
            case DEC ->
                any(
                        "(" + value(type, depth - 1) + any(" + ", " - ", " * ") + value(any(type, Type.INT), depth - 1)
                                + ")",
                        "(" + value(type, depth - 1) + any(" / ", " % ") + "nullif("
                                + value(any(type, Type.INT), depth - 1) + ", 0))",
                        "CAST(" + value(any(Type.INT, type), depth - 1) + " AS DECIMAL(12,1))",
                        "CAST(" + value(Type.FLT, depth - 1) + " AS DECIMAL)",
                        "abs(" + value(type, depth - 1) + ")");
            case FLT ->
                any(
                        "(" + value(type, depth - 1) + any(" + ", " - ", " * ")
                                + value(any(type, Type.INT, Type.DEC), depth - 1) + ")",
                        "(" + value(type, depth - 1) + " / nullif(" + value(type, depth - 1) + ", 0))",
                        "CAST(" + value(any(Type.INT, Type.DEC), depth - 1) + " AS FLOAT8)");
            case TXT ->
                any(
                        "(" + value(type, depth - 1) + " || " + value(any(type, Type.INT, Type.DEC), depth - 1) + ")",
                        "CAST(" + value(any(Type.INT, Type.BOOL, Type.DATE, Type.TIME, Type.FLT), depth - 1)
                                + " AS TEXT)",
                        "CAST(" + value(type, depth - 1) + " AS VARCHAR(2))");
            case BOOL -> "(" + condition(depth - 1) + ")";
            case DATE -> "CAST(" + value(Type.TIME, depth - 1) + " AS DATE)";
            case TIME -> "CAST(" + value(Type.DATE, depth - 1) + " AS TIMESTAMP)";
        };
    }

    private String condition(int depth) {
        if (depth > 0 && oneIn(2)) {
            return any(
                    condition(depth - 1) + any(" AND ", " OR ") + condition(depth - 1),
                    "(" + condition(depth - 1) + any(" AND ", " OR ") + condition(depth - 1) + ")",
                    "NOT " + condition(depth - 1),
                    "(" + condition(depth - 1) + ") IS" + any("", " NOT") + any(" NULL", " TRUE", " FALSE"));
        }
        Type type = any(Type.INT, Type.INT, Type.DEC, Type.FLT, Type.TXT, Type.TXT, Type.BOOL, Type.DATE, Type.TIME);
        String not = any("", "", " NOT");
        String comparison = any(" = ", " <> ", " < ", " <= ", " > ", " >= ", " != ");
        return switch (random.nextInt(9)) {
            case 0, 1 -> column(type) + comparison + literal(type);
            case 2 -> value(type, 1) + comparison + value(type, 1);
            case 3 -> literal(type) + comparison + column(type);
            case 4 -> column(type) + not + " BETWEEN " + literal(type) + " AND " + literal(type);
            case 5 ->
                column(type) + not + " IN (" + literal(type) + ", " + any("NULL", literal(type)) + ", " + literal(type)
                        + ")";
            case 6 -> column(type) + " IS" + not + " NULL";
            case 7 ->
                column(Type.TXT) + not + " LIKE " + quoted(any("a%", "%b%", "a_%", "ab", "%", "_", "b\\%", "Z%a"));
            default -> any("i", "j") + comparison + any("1.5", "d", "f", "id");
        };
    }
}
