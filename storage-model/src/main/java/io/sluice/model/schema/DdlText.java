package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.IndexColumn.Direction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tables as DDL that {@link Ddl} parses to the same definition. */
public final class DdlText {
    private static final String PLAIN = "[a-z_][a-z0-9_]*";

    private final TableDef def;
    private final boolean quoteAll;

    private DdlText(TableDef def, boolean quoteAll) {
        this.def = def;
        this.quoteAll = quoteAll;
    }

    /** The CREATE TABLE statement of a table, on several lines, without a line end behind it. */
    public static String of(TableDef def) {
        // A name may be a word of SQL: then all are quoted.
        String plain = new DdlText(def, false).text();
        return declares(plain, def) ? plain : new DdlText(def, true).text();
    }

    /**
     * The statements of a table and of those that it is interleaved in, each after its parents, with a line end behind
     * the last.
     *
     * @param parents finds a table by name; one that it does not find is left out
     */
    public static String withParents(TableDef def, Function<String, @Nullable TableDef> parents) {
        Deque<TableDef> tables = new ArrayDeque<>();
        addParents(def, parents, tables);
        return tables.stream().map(DdlText::of).collect(Collectors.joining("\n\n")) + "\n";
    }

    private static void addParents(
            TableDef child, Function<String, @Nullable TableDef> parents, Deque<TableDef> tables) {
        tables.remove(child);
        tables.addFirst(child);
        child.indexes().stream()
                .map(IndexDef::interleave)
                .flatMap(Stream::ofNullable)
                .map(IndexDef.Interleave::parent)
                .distinct()
                .map(parents)
                .flatMap(Stream::ofNullable)
                .forEach(parent -> addParents(parent, parents, tables));
    }

    private static boolean declares(String ddl, TableDef def) {
        try {
            return Ddl.parse(ddl, def.name()).equals(List.of(def));
        } catch (BadInputException e) {
            return false;
        }
    }

    private String text() {
        List<String> lines = new ArrayList<>();
        for (int position : def.visibleColumns()) {
            lines.add(column(def.columns().get(position)));
        }
        boolean keyed = def.columns().stream().noneMatch(Column::hidden);
        if (keyed) {
            lines.add("PRIMARY KEY (" + columns(def.primary()) + ")");
        }
        for (IndexDef index : def.secondaries()) {
            lines.add((index.unique() ? "UNIQUE INDEX " : "INDEX ") + name(index.name()) + " (" + columns(index) + ")"
                    + storing(index) + interleave(index));
        }
        if (def.families() > 1) {
            for (int family = 0; family < def.families(); family++) {
                lines.add("FAMILY (" + names(inFamily(family)) + ")");
            }
        }
        def.foreignKeys().forEach(key -> lines.add(foreignKey(key)));
        return "CREATE TABLE " + name(def.name()) + " (\n    " + String.join(",\n    ", lines) + "\n)"
                + (keyed ? interleave(def.primary()) : "") + ";";
    }

    private List<Integer> inFamily(int family) {
        return def.visibleColumns().stream()
                .filter(position -> def.columns().get(position).family() == family)
                .toList();
    }

    private String column(Column column) {
        String constant = column.defaultText();
        return name(column.name()) + " " + column.type().sql()
                + (column.nullable() ? "" : " NOT NULL")
                + (constant == null ? "" : " DEFAULT '" + constant.replace("'", "''") + "'");
    }

    private String columns(IndexDef index) {
        return index.columns().stream()
                .map(column -> columnName(column.column()) + (column.direction() == Direction.DESC ? " DESC" : ""))
                .collect(Collectors.joining(", "));
    }

    private String storing(IndexDef index) {
        return index.storing().isEmpty() ? "" : " STORING (" + names(index.storing()) + ")";
    }

    private String interleave(IndexDef index) {
        if (index.interleave() == null) {
            return "";
        }
        List<Integer> prefix = IntStream.range(0, index.interleave().prefixColumns())
                .map(i -> index.columns().get(i).column())
                .boxed()
                .toList();
        return " INTERLEAVE IN PARENT " + name(index.interleave().parent()) + " (" + names(prefix) + ")";
    }

    private String foreignKey(ForeignKey key) {
        String referenced = key.parentColumns().stream().map(this::name).collect(Collectors.joining(", "));
        return "FOREIGN KEY (" + names(key.columns()) + ") REFERENCES " + name(key.parent())
                + (referenced.isEmpty() ? "" : " (" + referenced + ")")
                + (key.onDeleteCascade() ? " ON DELETE CASCADE" : "");
    }

    private String names(List<Integer> positions) {
        return positions.stream().map(this::columnName).collect(Collectors.joining(", "));
    }

    private String columnName(int position) {
        return name(def.columns().get(position).name());
    }

    private String name(String name) {
        return quoteAll || !name.matches(PLAIN) ? '"' + name.replace("\"", "\"\"") + '"' : name;
    }
}
