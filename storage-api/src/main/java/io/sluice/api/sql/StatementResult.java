package io.sluice.api.sql;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of one statement. */
public sealed interface StatementResult {
    /** Rows that were asked for: one text datum per column, null for NULL. */
    record Rows(List<String> columns, List<List<@Nullable String>> rows) implements StatementResult {
        public Rows {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /**
     * Rows that were changed.
     *
     * @param count rows of the table that the statement names
     * @param cascaded rows of other tables that went with them, by table
     */
    record Changed(long count, Map<String, Long> cascaded) implements StatementResult {
        public Changed {
            cascaded = Map.copyOf(cascaded);
        }
    }

    /** Done, and there is nothing to tell. */
    record Done(String what) implements StatementResult {}

    /** Not done, and neither was anything behind it. */
    record Failed(SqlErrorCode code, String message) implements StatementResult {}
}
