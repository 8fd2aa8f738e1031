package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.model.schema.Ddl;
import io.sluice.sql.RandomQueries.Query;
import io.sluice.testing.PostgresServer;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queries at random over a random table: each result is that of PostgreSQL, text for text.
 *
 * <p>{@code -Dsluice.test.queries=10000}, which profile {@code long} sets, makes it longer, {@code -Dsluice.seed=…}
 * another one.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class QueriesAgainstPostgresTest {
    private static final int QUERIES = Integer.getInteger("sluice.test.queries", 400);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROWS = 150;
    private static final int MOST_SHOWN = 10;
    /** In psql's output: between columns, before the line that ends a result, and for NULL. */
    private static final String SEPARATOR = "\u001f";

    private static final String END = "\u001e";
    private static final String NULL = "\u001d";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?(e[+-][0-9]+)?");

    @TempDir
    Path directory;

    @Test
    void resultsAreThoseOfPostgres() throws Exception {
        Path programs = PostgresServer.binaries();
        assumeTrue(programs != null, "PostgreSQL is not installed in /usr/lib/postgresql");
        Random random = new Random(SEED);
        RandomQueries drawn = new RandomQueries(random);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(drawn.row(i));
        }
        List<Query> queries = new ArrayList<>();
        for (int i = 0; i < QUERIES; i++) {
            queries.add(drawn.query());
        }
        List<String> statements = new ArrayList<>(List.of(RandomQueries.POSTGRES_DDL, RandomQueries.insert(rows)));
        queries.forEach(query -> statements.add(query.sql()));
        List<@Nullable List<List<@Nullable String>>> expected;
        try (PostgresServer postgres = PostgresServer.start(Objects.requireNonNull(programs), directory)) {
            expected = results(postgres, statements);
        }
        int compared = 0;
        int withRows = 0;
        List<String> differences = new ArrayList<>();
        try (SqlStore store = new SqlStore(directory)) {
            store.importRows(Ddl.parse(RandomQueries.DDL, "test").get(0), rows);
            try (SqlSession session = store.engine().open()) {
                for (int i = 0; i < QUERIES && differences.size() < MOST_SHOWN; i++) {
                    Query query = queries.get(i);
                    List<List<@Nullable String>> theirs = expected.get(i + 2);
                    StatementResult result =
                            session.execute(SqlScript.split(query.sql()).get(0));
                    String difference = difference(query, theirs, result);
                    if (difference != null) {
                        differences.add("query " + i + ": " + query.sql() + "\n  " + difference);
                    }
                    compared += theirs == null ? 0 : 1;
                    withRows += theirs == null || theirs.isEmpty() ? 0 : 1;
                }
            }
        }
        String figures = "queries against PostgreSQL: seed " + SEED + ", " + compared + " of " + QUERIES
                + " succeed there, " + withRows + " have rows";
        System.out.println(figures);
        assertEquals("", String.join("\n", differences), figures);
        assertTrue(compared > QUERIES * 9 / 10 && withRows > QUERIES / 2, figures);
    }

    /** Executes statements, each on its own; returns the rows of each in order, null for one that fails. */
    private List<@Nullable List<List<@Nullable String>>> results(PostgresServer postgres, List<String> statements)
            throws Exception {
        StringBuilder script = new StringBuilder("SET timezone = 'UTC';\n\\pset null '" + NULL + "'\n");
        for (String statement : statements) {
            script.append(statement).append(";\n\\echo '").append(END).append("' :ERROR\n");
        }
        Path output = directory.resolve("results");
        postgres.psql(script.toString(), output, "-v", "ON_ERROR_STOP=0", "-t", "-A", "-F", SEPARATOR);
        List<@Nullable List<List<@Nullable String>>> results = new ArrayList<>();
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (String line : Files.readString(output).split("\n", -1)) {
            if (line.startsWith(END)) {
                results.add(line.endsWith("true") ? null : rows);
                rows = new ArrayList<>();
            } else {
                List<@Nullable String> row = new ArrayList<>();
                for (String text : line.split(SEPARATOR, -1)) {
                    row.add(text.equals(NULL) ? null : text);
                }
                rows.add(row);
            }
        }
        assertEquals(statements.size(), results.size(), "results of psql");
        return results;
    }

    /** Describes how results differ; null if they do not. */
    private static @Nullable String difference(
            Query query, @Nullable List<List<@Nullable String>> theirs, StatementResult result) {
        if (theirs == null) {
            return result instanceof StatementResult.Failed ? null : "PostgreSQL fails, but not " + result;
        }
        if (!(result instanceof StatementResult.Rows rows)) {
            return result.toString();
        }
        String expected = lines(theirs, query);
        String actual = lines(shown(rows.rows(), query), query);
        return expected.equals(actual) ? null : "expected " + expected + "\n  but was  " + actual;
    }

    /** psql shows a BOOL of {@code *} as t or f. */
    private static List<List<@Nullable String>> shown(List<List<@Nullable String>> rows, Query query) {
        if (!query.sql().contains(", * FROM")) {
            return rows;
        }
        List<List<@Nullable String>> shown = new ArrayList<>();
        for (List<@Nullable String> row : rows) {
            List<@Nullable String> copy = new ArrayList<>(row);
            int truth = row.size() - 3;
            String text = row.get(truth);
            copy.set(truth, text == null ? null : text.substring(0, 1));
            shown.add(copy);
        }
        return shown;
    }

    private static String lines(List<List<@Nullable String>> rows, Query query) {
        boolean representatives = query.sql().matches("(?s).*(DISTINCT|GROUP BY|min|max).*");
        List<String> lines = new ArrayList<>();
        for (List<@Nullable String> row : rows) {
            List<@Nullable String> shown = new ArrayList<>();
            row.forEach(text -> shown.add(representatives ? number(text) : text));
            lines.add(String.valueOf(shown));
        }
        if (!query.ordered()) {
            lines.sort(Comparator.naturalOrder());
        }
        return String.join("\n", lines);
    }

    /** Strips zeros: any of several equal numbers, such as 0, -0 and 0.00, may stand for all. */
    private static @Nullable String number(@Nullable String text) {
        return text != null && NUMBER.matcher(text).matches()
                ? new BigDecimal(text).stripTrailingZeros().toPlainString()
                : text;
    }
}
