package io.sluice.model.schema;

import io.sluice.model.schema.IndexColumn.Direction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The declarations of a statement, by name and place, before names are resolved. */
final class Declared {
    private Declared() {}

    /**
     * A declared column.
     *
     * @param nullability NULL, NOT NULL, or neither
     * @param defaultText the constant of its DEFAULT
     */
    record DeclaredColumn(
            int place,
            String name,
            ColumnType type,
            Nullability nullability,
            @Nullable String defaultText) {}

    /** A column family; an empty name for one without a name. */
    record DeclaredFamily(int place, String name, List<String> columns) {}

    enum Nullability {
        UNSAID,
        NULL,
        NOT_NULL
    }

    enum IndexKind {
        PRIMARY,
        UNIQUE,
        PLAIN
    }

    /** A declared index, in any notation; a null name is generated later. */
    record DeclaredIndex(
            int place,
            IndexKind kind,
            @Nullable String name,
            List<DirectedName> columns,
            List<String> storing,
            @Nullable DeclaredInterleave interleave) {

        /** The index of a UNIQUE or PRIMARY KEY constraint of one column. */
        static DeclaredIndex ofColumn(int place, IndexKind kind, DirectedName column) {
            return new DeclaredIndex(place, kind, null, List.of(column), List.of(), null);
        }
    }

    record DirectedName(String name, Direction direction) {}

    record DeclaredInterleave(int place, String parent, List<String> columns) {}

    record DeclaredForeignKey(
            int place, List<String> columns, String parent, List<String> parentColumns, boolean onDeleteCascade) {}
}
