package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.IndexDef.Interleave;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table bound to its id; its interleaved indexes are bound to the ids of their ancestors.
 *
 * @param id the table's id, from 1; never reused after a drop
 * @param def the table as declared
 * @param indexes the primary index, then the secondary indexes
 */
public record Table(int id, TableDef def, List<Index> indexes) {
    public Table {
        indexes = List.copyOf(indexes);
    }

    /**
     * Binds a table to the id that it would have if the tables of the schema were imported in order into a new store.
     *
     * @param tables tables of the schema
     * @param chosen one of them
     * @throws BadInputException if an interleave parent is missing or its primary key is not the index's prefix
     */
    public static Table inNewStore(List<TableDef> tables, TableDef chosen) {
        if (!tables.contains(chosen)) {
            throw new IllegalArgumentException("table " + chosen.name() + " is not of the schema");
        }
        return inNewStore(tables, chosen, Set.of());
    }

    /** Binds a table after its parents, which may be declared later; one of its children is no parent. */
    private static Table inNewStore(List<TableDef> tables, TableDef def, Set<TableDef> children) {
        Set<TableDef> below = new HashSet<>(children);
        below.add(def);
        return bind(def, tables.indexOf(def) + 1, name -> tables.stream()
                .filter(table -> table.name().equals(name) && !below.contains(table))
                .findFirst()
                .map(parent -> inNewStore(tables, parent, below))
                .orElse(null));
    }

    /**
     * Binds a declared table.
     *
     * @param parents finds an interleave parent by name; null if it does not exist
     * @throws BadInputException if a parent is missing or its primary key is not the index's prefix
     */
    public static Table bind(TableDef def, int id, Function<String, @Nullable Table> parents) {
        List<Index> bound = new ArrayList<>();
        for (IndexDef index : def.indexes()) {
            bound.add(new Index(index, ancestors(def, index, parents)));
        }
        return new Table(id, def, bound);
    }

    private static List<Ancestor> ancestors(TableDef def, IndexDef index, Function<String, @Nullable Table> parents) {
        Interleave interleave = index.interleave();
        if (interleave == null) {
            return List.of();
        }
        Table parent = parents.apply(interleave.parent());
        if (parent == null) {
            throw new BadInputException("table " + def.name() + ", index " + index.name()
                    + ": interleaved in table " + interleave.parent()
                    + ", which does not exist; import the parent first");
        }
        Index parentPrimary = parent.primary();
        int parentColumns = parentPrimary.def().columns().size();
        if (interleave.prefixColumns() != parentColumns || index.columns().size() < parentColumns) {
            throw new BadInputException("table " + def.name() + ", index " + index.name()
                    + ": the interleave prefix has "
                    + interleave.prefixColumns() + " columns, the primary key of " + interleave.parent() + " has "
                    + parentColumns + "; they must be the same columns");
        }
        for (int i = 0; i < parentColumns; i++) {
            IndexColumn own = index.columns().get(i);
            IndexColumn theirs = parentPrimary.def().columns().get(i);
            TypeKind ownKind = def.columns().get(own.column()).type().kind();
            TypeKind theirKind =
                    parent.def().columns().get(theirs.column()).type().kind();
            if (own.direction() != theirs.direction() || ownKind != theirKind) {
                throw new BadInputException("table " + def.name() + ", index " + index.name() + ": column "
                        + def.columns().get(own.column()).name() + " must have the type and direction of "
                        + interleave.parent() + "."
                        + parent.def().columns().get(theirs.column()).name()
                        + " to be interleaved");
            }
        }
        List<Ancestor> ancestors = new ArrayList<>(parentPrimary.ancestors());
        int shared = parentColumns;
        for (Ancestor above : ancestors) {
            shared -= above.sharedColumns();
        }
        ancestors.add(new Ancestor(parent.id(), IndexDef.PRIMARY_ID, shared));
        return ancestors;
    }

    public String name() {
        return def.name();
    }

    /** This table with all columns in one family and the same ids; itself if it has no other. */
    public Table inOneFamily() {
        return def.families() == 1 ? this : new Table(id, def.inOneFamily(), indexes);
    }

    public Index primary() {
        return indexes.get(0);
    }

    /** The index of that name, or null. */
    public @Nullable Index index(String indexName) {
        for (Index index : indexes) {
            if (index.def().name().equals(indexName)) {
                return index;
            }
        }
        return null;
    }

    /** Position of the index with that id in {@link #indexes}, or -1. */
    public int ordinal(int indexId) {
        for (int i = 0; i < indexes.size(); i++) {
            if (indexes.get(i).def().id() == indexId) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Position of the index with that name in {@link #indexes}; 0, the primary one, for null.
     *
     * @throws BadInputException if there is no such index; the message lists the names
     */
    public int ordinal(@Nullable String indexName) {
        if (indexName == null) {
            return 0;
        }
        Index index = index(indexName);
        if (index == null) {
            throw new BadInputException("table " + name() + " has no index " + indexName + "; it has "
                    + indexes.stream().map(each -> each.def().name()).collect(Collectors.joining(", ")));
        }
        return indexes.indexOf(index);
    }

    /** Whether any index of this table is interleaved in another table. */
    public boolean interleaved() {
        return indexes.stream().anyMatch(index -> !index.ancestors().isEmpty());
    }
}
