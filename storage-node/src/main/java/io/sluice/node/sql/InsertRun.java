package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.sql.Literals;
import io.sluice.api.sql.Statement;
import io.sluice.api.sql.StatementException;
import io.sluice.api.sql.StatementResult;
import io.sluice.node.transaction.KeyPrefetch;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Executes one INSERT: inserts the rows in turn, then checks their foreign keys. */
final class InsertRun {
    private InsertRun() {}

    static StatementResult.Changed run(Transaction transaction, Statement.Insert statement) {
        TableAccess table = transaction.requireChangeable(statement.table().name());
        ForeignKeys keys = new ForeignKeys(transaction);
        List<Reference> references = keys.from(table.table().def());
        List<Row> rows = new ArrayList<>();
        prefetch(transaction, table, statement, keys, references);
        for (List<@Nullable String> texts : statement.rows()) {
            Row row = row(table, texts);
            RowWrites.put(table, row, table.encoded(row));
            if (!references.isEmpty()) {
                rows.add(row);
            }
        }
        for (Reference reference : references) {
            rows.forEach(row -> keys.requireParent(reference, row));
        }
        return new StatementResult.Changed(statement.rows().size(), Map.of());
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
