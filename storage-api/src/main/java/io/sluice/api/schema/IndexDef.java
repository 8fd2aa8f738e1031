package io.sluice.api.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index as declared.
 *
 * @param id primary 1, secondaries from 2 in order of declaration
 * @param name its name; {@code primary} for the primary index
 * @param unique whether no two rows may agree on its columns (NULLs never agree)
 * @param columns the indexed columns in key order
 * @param storing positions of the STORING columns in {@link TableDef#columns()}
 * @param interleave where its keys are interleaved, or null
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
}
