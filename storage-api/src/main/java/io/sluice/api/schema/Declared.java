package io.sluice.api.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a statement declares, by name and line, before the names are looked up. */
final class Declared {
    private Declared() {}

    /**
     * A column. {@code nullability} says whether NULL or NOT NULL was written, {@code defaultText} what its DEFAULT is.
     */
    record DeclaredColumn(
            int line,
            String name,
            ColumnType type,
            Nullability nullability,
            @Nullable String defaultText) {}

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

    /** An index of a table, in whichever of its notations; the name is null when one is to be made up. */
    record DeclaredIndex(
            int line,
            IndexKind kind,
            @Nullable String name,
            List<DirectedName> columns,
            List<String> storing,
            @Nullable DeclaredInterleave interleave) {

        /** Made by UNIQUE or PRIMARY KEY behind a column. */
        static DeclaredIndex ofColumn(int line, IndexKind kind, DirectedName column) {
            return new DeclaredIndex(line, kind, null, List.of(column), List.of(), null);
        }
    }

    record DirectedName(String name, Direction direction) {}

    record DeclaredInterleave(int line, String parent, List<String> columns) {}

    record DeclaredForeignKey(
            int line, List<String> columns, String parent, List<String> parentColumns, boolean onDeleteCascade) {}
}
