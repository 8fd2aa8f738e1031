package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementResult;
import io.sluice.model.row.Row;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Executes one UPDATE as if all rows changed at once. It deletes the old KVs of all rows, then inserts the new ones, so
 * rows may exchange keys. Then it checks foreign keys.
 */
final class UpdateRun {
    /** Two rows and two lists of KVs. */
    private static final int CHANGE_OVERHEAD_BYTES = 1024;

    private final Transaction transaction;
    private final Statement.Update statement;
    private final TableAccess table;
    private final List<Change> changes = new ArrayList<>();

    private UpdateRun(Transaction transaction, Statement.Update statement, TableAccess table) {
        this.transaction = transaction;
        this.statement = statement;
        this.table = table;
    }

    /** An old and a new row, and those of their KVs that differ. */
    private record Change(Row old, Row now, List<@Nullable Kv> before, List<@Nullable Kv> after) {}

    static StatementResult run(Transaction transaction, Statement.Update statement, long resultBytes) {
        TableAccess table = transaction.requireChangeable(statement.table().name());
        UpdateRun run = new UpdateRun(transaction, statement, table);
        List<Kv> found = Matching.all(table, statement.where());
        found.forEach(run::plan);
        run.prefetch();
        run.exchange();
        run.checkReferences();
        return ResultRows.returning(
                statement.returning(),
                new StatementResult.Changed(found.size(), Map.of()),
                run.changes.stream().map(Change::now).toList(),
                resultBytes);
    }

    private void plan(Kv kv) {
        Row old = table.decoded(kv);
        Row now = Assignments.applied(table.table().def(), statement.assignments(), old);
        List<@Nullable Kv> before = new ArrayList<>(table.encoded(old));
        List<@Nullable Kv> after = new ArrayList<>(table.encoded(now));
        transaction.reserve(CHANGE_OVERHEAD_BYTES + 2L * (kv.key().length + kv.value().length));
        RowWrites.keepDifferences(before, after);
        changes.add(new Change(old, now, before, after));
    }

    /** Fetches in one batch the keys that the new rows will read. */
    private void prefetch() {
        KeyPrefetch prefetch = new KeyPrefetch(transaction);
        ForeignKeys keys = new ForeignKeys(transaction);
        List<Reference> from = transaction.remote() ? keys.from(statement) : List.of();
        changes.forEach(change -> RowWrites.prefetch(prefetch, table, change.now(), change.after(), keys, from));
        prefetch.fetch();
    }

    private void exchange() {
        for (Change change : changes) {
            for (int i = 0; i < change.before().size(); i++) {
                Kv old = change.before().get(i);
                if (old != null) {
                    table.remove(i, old);
                }
            }
        }
        changes.forEach(change -> RowWrites.put(table, change.now(), change.after()));
    }

    private void checkReferences() {
        ForeignKeys keys = new ForeignKeys(transaction);
        for (Reference reference : keys.from(statement)) {
            changes.forEach(change -> keys.requireParent(reference, change.now()));
        }
        for (Reference reference : keys.to(statement)) {
            changes.forEach(change -> keys.refuseOrphans(reference, change.old()));
        }
    }
}
