package io.sluice.model.schema;

import java.util.List;

/**
 * A foreign key as declared; imports keep it but do not check it.
 *
 * @param columns positions of the referencing columns in {@link TableDef#columns()}
 * @param parent name of the referenced table
 * @param parentColumns names of the referenced columns; empty: the parent's primary key
 * @param onDeleteCascade whether deleting the parent's row deletes this one
 */
public record ForeignKey(List<Integer> columns, String parent, List<String> parentColumns, boolean onDeleteCascade) {
    public ForeignKey {
        columns = List.copyOf(columns);
        parentColumns = List.copyOf(parentColumns);
    }
}
