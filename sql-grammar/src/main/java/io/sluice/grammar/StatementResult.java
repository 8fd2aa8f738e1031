package io.sluice.grammar;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of one statement. */
public sealed interface StatementResult {
    /** The returned rows: one text datum per column, null for NULL. */
    record Rows(List<String> columns, List<List<@Nullable String>> rows) implements StatementResult {
        public Rows {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /** The rows went to a {@link RowSink}; their number. */
    record Returned(long rows) implements StatementResult {}

    /**
     * The number of changed rows.
     *
     * @param count changed rows of the statement's table
     * @param cascaded changed rows of other tables through foreign keys, by table
     */
    record Changed(long count, Map<String, Long> cascaded) implements StatementResult {
        public Changed {
            cascaded = Map.copyOf(cascaded);
        }
    }

    /** Success without rows or counts. */
    record Done(String what) implements StatementResult {}

    /** The statement failed; the statements after it were not executed. */
    record Failed(SqlErrorCode code, String message) implements StatementResult {}
}
