package io.sluice.sql;

import io.sluice.grammar.Literals;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Executes one INSERT: inserts the rows in turn, then checks their foreign keys. */
final class InsertRun {
    private InsertRun() {}

    static StatementResult run(Transaction transaction, Statement.Insert statement, long resultBytes) {
        TableAccess table = transaction.requireChangeable(statement.table().name());
        ForeignKeys keys = new ForeignKeys(transaction);
        List<Reference> references = keys.from(table.table().def());
        List<Row> rows = new ArrayList<>();
        prefetch(transaction, table, statement, keys, references);
        for (List<@Nullable String> texts : statement.rows()) {
            Row row = row(table, texts);
            RowWrites.put(table, row, table.encoded(row));
            if (!references.isEmpty() || !statement.returning().outputs().isEmpty()) {
                rows.add(row);
            }
        }
        for (Reference reference : references) {
            rows.forEach(row -> keys.requireParent(reference, row));
        }
        return ResultRows.returning(
                statement.returning(),
                new StatementResult.Changed(statement.rows().size(), Map.of()),
                rows,
                resultBytes);
    }

    /** Fetches in one batch the keys that the INSERT will read. Stops at a bad row, which the INSERT reports later. */
    private static void prefetch(
            Transaction transaction,
            TableAccess table,
            Statement.Insert statement,
            ForeignKeys keys,
            List<Reference> references) {
        if (!transaction.remote()) {
            return;
        }
        KeyPrefetch prefetch = new KeyPrefetch(transaction);
        for (List<@Nullable String> texts : statement.rows()) {
            try {
                Row row = row(table, texts);
                RowWrites.prefetch(prefetch, table, row, table.encoded(row), keys, references);
            } catch (StatementException e) {
                break;
            }
        }
        prefetch.fetch();
    }

    static Row row(TableAccess table, List<@Nullable String> texts) {
        Row row = table.newRow();
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            if (text != null) {
                Column column = table.table().def().columns().get(i);
                Literals.put(column.type(), text, row, i, column.name());
            }
        }
        return row;
    }
}
