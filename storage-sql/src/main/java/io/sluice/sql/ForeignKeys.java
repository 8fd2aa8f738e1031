package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ForeignKey;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.transaction.SpanSet;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Resolves and checks foreign keys in one transaction, from the child's and the parent's side. */
final class ForeignKeys {
    private final Transaction transaction;

    ForeignKeys(Transaction transaction) {
        this.transaction = transaction;
    }

    /**
     * Returns the foreign keys of a table.
     *
     * @throws StatementException if one refers to a table that does not exist
     */
    List<Reference> from(TableDef child) {
        List<Reference> references = new ArrayList<>();
        for (ForeignKey key : child.foreignKeys()) {
            TableAccess parent = transaction.find(key.parent());
            if (parent == null) {
                throw new StatementException(
                        SqlErrorCode.FOREIGN_KEY,
                        "table " + child.name() + " refers to table " + key.parent()
                                + ", which is not there; import it first");
            }
            references.add(Reference.of(child, key, parent.table().def()));
        }
        return references;
    }

    /** Returns the foreign keys that refer to a table, ordered by the referring tables' names. */
    List<Reference> to(TableDef parent) {
        List<Reference> references = new ArrayList<>();
        for (Table each : transaction.allTables()) {
            TableDef child = each.def();
            for (ForeignKey key : child.foreignKeys()) {
                if (key.parent().equals(parent.name())) {
                    references.add(Reference.of(child, key, parent));
                }
            }
        }
        return references;
    }

    /** Returns the foreign keys of the table of an UPDATE that have an assigned column, as {@link #from(TableDef)}. */
    List<Reference> from(Statement.Update update) {
        return from(update.table()).stream()
                .filter(each -> each.childColumns().stream().anyMatch(update::sets))
                .toList();
    }

    /** Returns the foreign keys that refer to an assigned column of an UPDATE, as {@link #to(TableDef)}. */
    List<Reference> to(Statement.Update update) {
        return to(update.table()).stream()
                .filter(each -> each.parentColumns().stream().anyMatch(update::sets))
                .toList();
    }

    /** Checks that the parent of a child row exists. A child with a NULL in the foreign key has no parent. */
    void requireParent(Reference reference, Row child) {
        if (!hasParent(reference, child)) {
            throw new StatementException(
                    SqlErrorCode.FOREIGN_KEY,
                    "table " + reference.child().name() + " refers to a row of table "
                            + reference.parent().name() + " that is not there: "
                            + Texts.values(reference.child(), child, reference.childColumns())
                            + "; insert that row first");
        }
    }

    private boolean hasParent(Reference reference, Row child) {
        if (anyNull(child, reference.childColumns())) {
            return true;
        }
        TableAccess parent = transaction.require(reference.parent().name());
        return isThere(parent, keyReferredTo(parent, reference, child));
    }

    private boolean isThere(TableAccess parent, byte[] key) {
        transaction.check(SpanSet.point(key));
        return parent.has(key);
    }

    /** Returns the key of a child's parent in the parent's unique index. */
    private static byte[] keyReferredTo(TableAccess parent, Reference reference, Row child) {
        Row wanted = parent.newRow();
        for (int i = 0; i < reference.childColumns().size(); i++) {
            wanted.copySlot(
                    reference.parentColumns().get(i),
                    child,
                    reference.childColumns().get(i));
        }
        return parent.keys().uniqueKey(reference.parentIndex(parent.table().indexes()), wanted);
    }

    /** Returns the span of a child's parent key, or an empty list if the foreign key has a NULL. */
    List<KeySpan> parentSpans(Reference reference, Row child) {
        return anyNull(child, reference.childColumns())
                ? List.of()
                : List.of(SpanSet.point(
                        keyReferredTo(transaction.require(reference.parent().name()), reference, child)));
    }

    /**
     * Fails if rows refer to a parent row that does not exist any more.
     *
     * @param gone the old parent row; another row may have the same key now
     */
    void refuseOrphans(Reference reference, Row gone) {
        if (anyNull(gone, reference.parentColumns())) {
            return;
        }
        TableAccess parent = transaction.require(reference.parent().name());
        byte[] key =
                parent.keys().uniqueKey(reference.parentIndex(parent.table().indexes()), gone);
        if (isThere(parent, key)) {
            return;
        }
        children(reference, gone, kv -> {
            throw new StatementException(
                    SqlErrorCode.FOREIGN_KEY,
                    "rows of table " + reference.child().name() + " refer to this row of table "
                            + reference.parent().name() + ": "
                            + Texts.values(reference.parent(), gone, reference.parentColumns())
                            + "; delete them first");
        });
    }

    /** Visits the rows that refer to a row, as KVs of the primary index, until the visitor returns false. */
    void children(Reference reference, Row parent, Predicate<Kv> visitor) {
        if (anyNull(parent, reference.parentColumns())) {
            return;
        }
        TableAccess child = transaction.require(reference.child().name());
        Row wanted = child.newRow();
        for (int i = 0; i < reference.childColumns().size(); i++) {
            wanted.copySlot(
                    reference.childColumns().get(i),
                    parent,
                    reference.parentColumns().get(i));
        }
        int ordinal = reference.childIndex(child.table().indexes());
        if (ordinal >= 0) {
            byte[] prefix = child.keys()
                    .prefix(ordinal, wanted, reference.childColumns().size());
            KeySpan span = KeySpan.ofPrefix(prefix);
            transaction.check(span);
            child.rows(ordinal, span, visitor);
            return;
        }
        KeySpan all = child.keys().span(0);
        transaction.check(all);
        TableAccess referred = transaction.require(reference.parent().name());
        byte[] like = keyReferredTo(referred, reference, wanted);
        child.rows(0, all, kv -> {
            Row row = child.decoded(kv);
            boolean refers = !anyNull(row, reference.childColumns())
                    && Arrays.equals(keyReferredTo(referred, reference, row), like);
            return !refers || visitor.test(kv);
        });
    }

    static boolean anyNull(Row row, List<Integer> columns) {
        return columns.stream().anyMatch(row::isNull);
    }
}
