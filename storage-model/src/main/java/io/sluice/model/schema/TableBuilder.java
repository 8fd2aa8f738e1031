package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DeclaredColumn;
import io.sluice.model.schema.Declared.DeclaredFamily;
import io.sluice.model.schema.Declared.DeclaredForeignKey;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.DeclaredInterleave;
import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.Declared.IndexKind;
import io.sluice.model.schema.Declared.Nullability;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef.Interleave;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Collects the declarations of one table and builds its definition. Names are resolved at the end, so an index may be
 * declared before its columns.
 */
final class TableBuilder {
    private static final String ROW_ID = "rowid";

    private final String name;
    private final int place;
    private final DdlProblems problems;
    private final List<DeclaredColumn> columns = new ArrayList<>();
    private final Map<String, Integer> positions = new HashMap<>();
    private final List<DeclaredIndex> secondaries = new ArrayList<>();
    private final List<DeclaredForeignKey> foreignKeys = new ArrayList<>();
    private @Nullable DeclaredIndex primary;
    private @Nullable DeclaredInterleave interleave;
    /** Column families by number; those of columns come before those of FAMILY clauses, as in CockroachDB. */
    private final List<DeclaredFamily> families = new ArrayList<>();

    private final List<DeclaredFamily> familyClauses = new ArrayList<>();
    private final Map<String, List<String>> notes = new LinkedHashMap<>();
    /** Columns of NOT NULL constraints of the table, with the places of the constraints. */
    private final Map<String, Integer> notNull = new LinkedHashMap<>();

    TableBuilder(String name, int place, DdlProblems problems) {
        this.name = name;
        this.place = place;
        this.problems = problems;
    }

    String name() {
        return name;
    }

    void add(DeclaredColumn column) {
        if (positions.putIfAbsent(column.name(), columns.size()) != null) {
            problems.add(column.place(), "column " + column.name() + " is declared twice; rename one");
            return;
        }
        columns.add(column);
    }

    /** Replaces a declared column by another of its name. */
    void replace(DeclaredColumn column) {
        int position = position(column.name(), column.place());
        if (position >= 0) {
            columns.set(position, column);
        }
    }

    /** Adds a NOT NULL constraint of a column, which may be declared later. */
    void notNull(String column, int constraintAt) {
        notNull.putIfAbsent(column, constraintAt);
    }

    /** Returns the declared column; reports a missing one and returns null. */
    @Nullable
    DeclaredColumn column(String column, int usedAt) {
        int position = position(column, usedAt);
        return position < 0 ? null : columns.get(position);
    }

    /** Adds the columns of the table that this one inherits from; they come first. */
    void inherit(TableBuilder parent) {
        List<DeclaredColumn> own = List.copyOf(columns);
        columns.clear();
        positions.clear();
        parent.columns.forEach(this::add);
        own.stream().filter(column -> !positions.containsKey(column.name())).forEach(this::add);
    }

    boolean isEmpty() {
        return columns.isEmpty();
    }

    /** Notes what an import does not do as the table declares it. */
    void note(String what, String subject) {
        List<String> subjects = notes.computeIfAbsent(what, key -> new ArrayList<>());
        if (!subjects.contains(subject)) {
            subjects.add(subject);
        }
    }

    /** One line for each kind of note. */
    List<String> notes() {
        return notes.entrySet().stream()
                .map(note -> "table " + name + ": " + String.join(", ", note.getValue()) + ": " + note.getKey())
                .toList();
    }

    void add(DeclaredIndex index) {
        if (index.kind() != IndexKind.PRIMARY) {
            secondaries.add(index);
        } else if (primary == null) {
            primary = index;
        } else {
            problems.add(index.place(), "table " + name + " has two primary keys; make one of them UNIQUE");
        }
    }

    void add(DeclaredForeignKey foreignKey) {
        foreignKeys.add(foreignKey);
    }

    /** Adds a FAMILY clause of the table. */
    void add(DeclaredFamily family) {
        familyClauses.add(family);
    }

    /**
     * Puts a column into a family by a clause of the column.
     *
     * @param family name of the family; empty: a new one
     * @param create whether the clause may create the family
     * @param mayExist whether the family may exist, if the clause may create it
     */
    void family(int at, String column, String family, boolean create, boolean mayExist) {
        for (DeclaredFamily known : families) {
            if (!family.isEmpty() && known.name().equals(family)) {
                if (create && !mayExist) {
                    problems.add(
                            at, "family " + family + " exists already; write FAMILY, or CREATE IF NOT EXISTS FAMILY");
                }
                known.columns().add(column);
                return;
            }
        }
        if (!create) {
            problems.add(at, "column " + column + ": there is no family " + family + " before it; write CREATE FAMILY");
        }
        families.add(new DeclaredFamily(at, family, new ArrayList<>(List.of(column))));
    }

    /** Adds the INTERLEAVE clause after the table, which is for its primary index. */
    void interleave(@Nullable DeclaredInterleave clause) {
        interleave = clause;
    }

    /**
     * Builds the definition.
     *
     * @param tables all declared tables by name, for references in another case
     */
    TableDef build(Map<String, TableBuilder> tables) {
        IndexDef primaryIndex = primaryIndex();
        Set<Integer> keyColumns = new HashSet<>(primaryIndex.positions());
        List<Column> made = inFamilies(columns(keyColumns), keyColumns);
        return new TableDef(name, made, primaryIndex, secondaryIndexes(keyColumns), foreignKeys(tables));
    }

    private List<Column> columns(Set<Integer> keyColumns) {
        List<Column> made = new ArrayList<>();
        Set<Integer> required = new HashSet<>(keyColumns);
        notNull.forEach((column, usedAt) -> required.add(position(column, usedAt)));
        for (int i = 0; i < columns.size(); i++) {
            DeclaredColumn column = columns.get(i);
            if (keyColumns.contains(i) && column.nullability() == Nullability.NULL) {
                problems.add(
                        column.place(),
                        "column " + column.name() + " is in the primary key, so it cannot be NULL; leave NULL out");
            }
            boolean nullable = column.nullability() != Nullability.NOT_NULL && !required.contains(i);
            made.add(new Column(i + 1, column.name(), column.type(), nullable, false, column.defaultText()));
        }
        if (primary == null) {
            made.add(new Column(
                    made.size() + 1, freeName(ROW_ID, positions.keySet()), ColumnType.of(TypeKind.INT8), false, true));
        }
        return made;
    }

    /**
     * The columns in their families. Columns that no clause names are in family 0, as in CockroachDB 20.2; it also
     * demands that the primary key is.
     */
    private List<Column> inFamilies(List<Column> made, Set<Integer> keyColumns) {
        List<DeclaredFamily> all = new ArrayList<>(families);
        all.addAll(familyClauses);
        Map<Integer, Integer> numbers = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (int number = 0; number < all.size(); number++) {
            DeclaredFamily family = all.get(number);
            if (!family.name().isEmpty() && !names.add(family.name())) {
                problems.add(family.place(), "family " + family.name() + " is declared twice; rename one");
            }
            for (String column : family.columns()) {
                int position = position(column, family.place());
                if (position >= 0 && numbers.putIfAbsent(position, number) != null) {
                    problems.add(family.place(), "column " + column + " is in two families; leave one out");
                } else if (number > 0 && keyColumns.contains(position)) {
                    problems.add(
                            family.place(),
                            "column " + column + " is in the primary key, so it must be in the first family;"
                                    + " name it in no other");
                }
            }
        }
        List<Column> placed = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            placed.add(made.get(i).inFamily(numbers.getOrDefault(i, 0)));
        }
        return placed;
    }

    private IndexDef primaryIndex() {
        if (primary == null) {
            if (interleave != null) {
                problems.add(
                        interleave.place(),
                        "table " + name
                                + " has no primary key, so it cannot be interleaved; declare one that begins with the parent's");
            }
            // The hidden row id follows the declared columns.
            return new IndexDef(
                    IndexDef.PRIMARY_ID,
                    IndexDef.PRIMARY_NAME,
                    true,
                    List.of(new IndexColumn(columns.size(), Direction.ASC)),
                    List.of(),
                    null);
        }
        if (!primary.storing().isEmpty()) {
            problems.add(primary.place(), "the primary index holds every column; leave STORING out");
        }
        List<IndexColumn> indexed = indexColumns(primary);
        String unfit = withoutKeys(indexed);
        if (unfit != null) {
            problems.add(
                    primary.place(),
                    "the primary key cannot be kept: " + unfit
                            + " has no ordered keys; declare it on other columns, or the column as STRING");
        }
        DeclaredInterleave clause = primary.interleave();
        if (clause != null && interleave != null) {
            problems.add(clause.place(), "table " + name + " is interleaved twice; leave one clause out");
        }
        return new IndexDef(
                IndexDef.PRIMARY_ID,
                IndexDef.PRIMARY_NAME,
                true,
                indexed,
                List.of(),
                interleave(primary, clause == null ? interleave : clause));
    }

    private List<IndexDef> secondaryIndexes(Set<Integer> keyColumns) {
        Set<String> names = new HashSet<>();
        names.add(IndexDef.PRIMARY_NAME);
        for (DeclaredIndex index : secondaries) {
            if (index.name() != null && !names.add(index.name())) {
                problems.add(
                        index.place(),
                        "index name " + index.name() + " is taken in table " + name + "; choose another");
            }
        }
        List<IndexDef> made = new ArrayList<>();
        for (DeclaredIndex index : secondaries) {
            List<IndexColumn> indexed = indexColumns(index);
            String unfit = withoutKeys(indexed);
            if (unfit != null) {
                note(
                        "left out, because " + unfit + " has no ordered keys"
                                + (index.kind() == IndexKind.UNIQUE ? "; its values are not checked" : ""),
                        "index " + (index.name() == null ? madeUpName(index, names) : index.name()));
                continue;
            }
            made.add(new IndexDef(
                    IndexDef.PRIMARY_ID + 1 + made.size(),
                    index.name() == null ? madeUpName(index, names) : index.name(),
                    index.kind() == IndexKind.UNIQUE,
                    indexed,
                    storing(index, indexed, keyColumns),
                    interleave(index, index.interleave())));
        }
        return made;
    }

    /** The first column whose type no index may have, with the type; null if there is none. */
    private @Nullable String withoutKeys(List<IndexColumn> indexed) {
        for (IndexColumn each : indexed) {
            DeclaredColumn column = columns.get(each.column());
            if (!column.type().hasKeys()) {
                return "column " + column.name() + " of type " + column.type().sql();
            }
        }
        return null;
    }

    /** Generates an index name as CockroachDB does: table, columns and kind. */
    private String madeUpName(DeclaredIndex index, Set<String> names) {
        StringBuilder base = new StringBuilder(name);
        for (DirectedName column : index.columns()) {
            base.append('_').append(column.name());
        }
        String free = freeName(
                base.append(index.kind() == IndexKind.UNIQUE ? "_key" : "_idx").toString(), names);
        names.add(free);
        return free;
    }

    /** Returns the name, with the first numeric suffix that makes it unique if it is taken. */
    private static String freeName(String wanted, Set<String> taken) {
        String free = wanted;
        for (int i = 1; taken.contains(free); i++) {
            free = wanted + i;
        }
        return free;
    }

    private List<IndexColumn> indexColumns(DeclaredIndex index) {
        List<IndexColumn> resolved = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (DirectedName column : index.columns()) {
            int position = position(column.name(), index.place());
            if (position >= 0 && !seen.add(position)) {
                problems.add(index.place(), "column " + column.name() + " is in the index twice; leave one out");
            } else if (position >= 0) {
                resolved.add(new IndexColumn(position, column.direction()));
            }
        }
        return resolved;
    }

    private List<Integer> storing(DeclaredIndex index, List<IndexColumn> indexed, Set<Integer> keyColumns) {
        List<Integer> stored = new ArrayList<>();
        for (String column : index.storing()) {
            int position = position(column, index.place());
            if (position < 0) {
                continue;
            }
            if (keyColumns.contains(position)) {
                problems.add(
                        index.place(),
                        "column " + column
                                + " is in the primary key, so every index holds it; leave it out of STORING");
            } else if (indexed.stream().anyMatch(c -> c.column() == position)) {
                problems.add(index.place(), "column " + column + " is indexed already; leave it out of STORING");
            } else if (stored.contains(position)) {
                problems.add(index.place(), "column " + column + " is stored twice; leave one out");
            } else {
                stored.add(position);
            }
        }
        return stored;
    }

    private @Nullable Interleave interleave(DeclaredIndex index, @Nullable DeclaredInterleave clause) {
        if (clause == null) {
            return null;
        }
        List<String> own = index.columns().stream().map(DirectedName::name).toList();
        if (clause.columns().size() > own.size()
                || !own.subList(0, clause.columns().size()).equals(clause.columns())) {
            problems.add(
                    clause.place(),
                    "the interleave columns (" + String.join(", ", clause.columns())
                            + ") must be the first columns of the index (" + String.join(", ", own)
                            + "), in that order");
        }
        return new Interleave(clause.parent(), clause.columns().size());
    }

    private List<ForeignKey> foreignKeys(Map<String, TableBuilder> tables) {
        List<ForeignKey> made = new ArrayList<>();
        for (DeclaredForeignKey key : foreignKeys) {
            List<Integer> own = new ArrayList<>();
            for (String column : key.columns()) {
                own.add(position(column, key.place()));
            }
            if (!key.parentColumns().isEmpty() && key.parentColumns().size() != own.size()) {
                problems.add(
                        key.place(),
                        "the foreign key has " + own.size() + " columns and references "
                                + key.parentColumns().size() + "; name as many");
            }
            String parentName = Ddl.match(tables.keySet(), key.parent());
            TableBuilder parent = tables.get(parentName);
            List<String> parentColumns = parent == null
                    ? key.parentColumns()
                    : key.parentColumns().stream()
                            .map(column -> Ddl.match(parent.positions.keySet(), column))
                            .toList();
            made.add(new ForeignKey(own, parentName, parentColumns, key.onDeleteCascade()));
        }
        return made;
    }

    /** Finds the position of the column; reports a missing column and returns -1. */
    private int position(String column, int usedAt) {
        Integer position = positions.get(column);
        if (position == null) {
            List<Integer> alike = positions.entrySet().stream()
                    .filter(entry -> entry.getKey().equalsIgnoreCase(column))
                    .map(Map.Entry::getValue)
                    .toList();
            position = alike.size() == 1 ? alike.get(0) : null;
        }
        if (position == null) {
            problems.add(
                    usedAt,
                    "table " + name + " (line " + problems.line(place) + ") has no column " + column + "; it has "
                            + columns.stream().map(DeclaredColumn::name).collect(Collectors.joining(", ")));
            return -1;
        }
        return position;
    }
}
