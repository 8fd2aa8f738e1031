package io.sluice.sql;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.Statement.Output;
import io.sluice.grammar.Statement.Returning;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.model.row.Row;
import io.sluice.sql.query.Outputs;
import io.sluice.sql.query.RowValues;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of one result, within a memory limit. Not thread-safe. */
final class ResultRows {
    /** A string, its array, and its reference in the row. */
    private static final int DATUM_OVERHEAD_BYTES = 56;

    private final List<String> columns;
    private final long maxBytes;
    private final List<List<@Nullable String>> rows = new ArrayList<>();
    private long bytes;

    ResultRows(List<String> columns, long maxBytes) {
        this.columns = columns;
        this.maxBytes = maxBytes;
    }

    /** Adds a row; always returns true. */
    boolean add(List<@Nullable String> row) {
        bytes += bytes(row);
        if (bytes > maxBytes) {
            throw new StatementException(
                    SqlErrorCode.TOO_LARGE,
                    "the rows take more than " + maxBytes
                            + " bytes; ask for fewer with LIMIT and narrower conditions, or use scan");
        }
        return rows.add(row);
    }

    StatementResult.Rows result() {
        return new StatementResult.Rows(columns, rows);
    }

    private static long bytes(List<@Nullable String> texts) {
        long bytes = 0;
        for (String text : texts) {
            bytes += DATUM_OVERHEAD_BYTES + (text == null ? 0 : text.length());
        }
        return bytes;
    }

    /** Estimated memory of a result in bytes. */
    static long bytes(StatementResult result) {
        return result instanceof StatementResult.Rows rows
                ? rows.rows().stream().mapToLong(ResultRows::bytes).sum()
                : 0;
    }

    /**
     * Computes the values that a statement returns of the rows that it changed.
     *
     * @param changed the result without them
     * @return the values, or {@code changed} if the statement names none
     */
    static StatementResult returning(
            Returning returning, StatementResult.Changed changed, List<Row> rows, long maxBytes) {
        if (returning.outputs().isEmpty()) {
            return changed;
        }
        RowValues values =
                new RowValues(returning.outputs().stream().map(Output::value).toList());
        Outputs outputs = new Outputs(returning.outputs());
        ResultRows result =
                new ResultRows(returning.outputs().stream().map(Output::name).toList(), maxBytes);
        rows.forEach(row -> result.add(outputs.of(values.of(row))));
        return result.result();
    }
}
