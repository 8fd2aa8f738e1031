package io.sluice.sql;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.ForeignKey;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A foreign key with its names resolved.
 *
 * @param child the referring table
 * @param parent the referenced table
 * @param childColumns positions of the referring columns
 * @param parentColumns positions of the referenced columns, in the same order
 * @param cascades whether deleting a parent row deletes its children
 */
record Reference(
        TableDef child, TableDef parent, List<Integer> childColumns, List<Integer> parentColumns, boolean cascades) {

    static Reference of(TableDef child, ForeignKey key, TableDef parent) {
        List<Integer> parentColumns = key.parentColumns().isEmpty()
                ? parent.primary().positions()
                : key.parentColumns().stream().map(parent::columnIndex).toList();
        Reference reference = new Reference(child, parent, key.columns(), parentColumns, key.onDeleteCascade());
        boolean fits = parentColumns.size() == key.columns().size() && !parentColumns.contains(-1);
        for (int i = 0; fits && i < parentColumns.size(); i++) {
            fits = form(child, key.columns().get(i)) == form(parent, parentColumns.get(i));
        }
        if (!fits) {
            throw new StatementException(
                    SqlErrorCode.UNSUPPORTED,
                    "the foreign key of table " + child.name() + " to " + parent.name()
                            + " names columns that are not there or have another type");
        }
        return reference;
    }

    /** Maps types with the same key encoding to one type. */
    private static TypeKind form(TableDef table, int column) {
        TypeKind kind = table.columns().get(column).type().kind();
        return switch (kind) {
            case INT2, INT4 -> TypeKind.INT8;
            case FLOAT4 -> TypeKind.FLOAT8;
            default -> kind;
        };
    }

    /** Returns the position of the parent's unique index on exactly the referenced columns. */
    int parentIndex(List<Index> indexes) {
        Set<Integer> wanted = Set.copyOf(parentColumns);
        for (int i = 0; i < indexes.size(); i++) {
            List<IndexColumn> columns = indexes.get(i).def().columns();
            if (indexes.get(i).def().unique()
                    && columns.size() == wanted.size()
                    && positions(columns).equals(wanted)) {
                return i;
            }
        }
        throw new StatementException(
                SqlErrorCode.UNSUPPORTED,
                "the foreign key of table " + child.name() + " refers to columns of " + parent.name()
                        + " that have no unique index of their own");
    }

    /** Returns the position of a child's index that begins with the referring columns, or -1. */
    int childIndex(List<Index> indexes) {
        Set<Integer> wanted = Set.copyOf(childColumns);
        for (int i = 0; i < indexes.size(); i++) {
            List<IndexColumn> columns = indexes.get(i).def().columns();
            if (columns.size() >= wanted.size()
                    && positions(columns.subList(0, wanted.size())).equals(wanted)) {
                return i;
            }
        }
        return -1;
    }

    private static Set<Integer> positions(List<IndexColumn> columns) {
        Set<Integer> positions = new HashSet<>();
        columns.forEach(part -> positions.add(part.column()));
        return positions;
    }
}
