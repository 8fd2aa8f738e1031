package io.sluice.model.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index as declared.
 *
 * @param id 1 for the primary index, from 2 for secondary indexes in order of declaration
 * @param name name; {@code primary} for the primary index
 * @param unique whether no two rows may have equal values in its columns (NULLs are never equal)
 * @param columns the indexed columns in key order
 * @param storing positions of the STORING columns in {@link TableDef#columns()}
 * @param interleave the interleave clause, or null
 */
public record IndexDef(
        int id,
        String name,
        boolean unique,
        List<IndexColumn> columns,
        List<Integer> storing,
        @Nullable Interleave interleave) {
    public static final int PRIMARY_ID = 1;
    public static final String PRIMARY_NAME = "primary";

    public IndexDef {
        columns = List.copyOf(columns);
        storing = List.copyOf(storing);
    }

    /** Positions of the indexed columns, in key order. */
    public List<Integer> positions() {
        return columns.stream().map(IndexColumn::column).toList();
    }

    /**
     * The clause {@code INTERLEAVE IN PARENT parent (prefix)} of an index: its keys lie inside the key span of a row of
     * the parent's primary index.
     *
     * @param parent name of the parent table
     * @param prefixColumns number of leading columns of this index, which are the parent's whole primary key
     */
    public record Interleave(String parent, int prefixColumns) {}
}
