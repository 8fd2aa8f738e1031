package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executes one SELECT. */
final class SelectRun {
    private static final String COUNT = "count";
    /** A string, its array, and its reference in the row. */
    private static final int DATUM_OVERHEAD_BYTES = 56;

    private final Statement.Select statement;
    private final TableAccess table;
    private final long maxBytes;
    private long found;
    private long bytes;

    private SelectRun(Statement.Select statement, TableAccess table, long maxBytes) {
        this.statement = statement;
        this.table = table;
        this.maxBytes = maxBytes;
    }

    static StatementResult.Rows run(Transaction transaction, Statement.Select statement, long maxBytes) {
        TableAccess table = transaction.require(statement.table().name());
        SelectRun run = new SelectRun(statement, table, maxBytes);
        return statement.count() ? run.count() : run.rows();
    }

    private StatementResult.Rows count() {
        // LIMIT applies to result rows; a count is one row, however many rows it counts.
        if (statement.limit() == 0) {
            return new StatementResult.Rows(List.of(COUNT), List.of());
        }
        for (KeySpan span : WhereSpans.of(table.table(), table.keys(), statement.where())) {
            table.entries(statement.where().ordinal(), span, entry -> {
                found++;
                return true;
            });
        }
        return new StatementResult.Rows(List.of(COUNT), List.of(List.of(Long.toString(found))));
    }

    private StatementResult.Rows rows() {
        TableDef def = table.table().def();
        List<String> names = statement.columns().stream()
                .map(column -> def.columns().get(column).name())
                .toList();
        List<List<@Nullable String>> rows = new ArrayList<>();
        if (statement.limit() > 0) {
            Matching.rows(table, statement.where(), kv -> {
                rows.add(row(def, kv));
                return ++found < statement.limit();
            });
        }
        return new StatementResult.Rows(names, rows);
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
                ? rows.rows().stream().mapToLong(SelectRun::bytes).sum()
                : 0;
    }

    private List<@Nullable String> row(TableDef def, Kv kv) {
        List<@Nullable String> texts = Texts.of(def, table.decoded(kv), statement.columns());
        bytes += bytes(texts);
        if (bytes > maxBytes) {
            throw new StatementException(
                    SqlErrorCode.TOO_LARGE,
                    "the rows take more than " + maxBytes
                            + " bytes; ask for fewer with LIMIT and narrower conditions, or use scan");
        }
        return texts;
    }
}
