package io.sluice.importer.decode.infer;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table that is proposed.
 *
 * @param name of the table
 * @param remarks what the proposal rests on
 * @param columns in the order of the file
 */
public record InferredTable(String name, List<String> remarks, List<InferredColumn> columns) {
    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]*";

    /** Words that PostgreSQL reserves: other systems, and statements, take them as names only in quotes. */
    private static final Set<String> RESERVED = Set.of("""
            all analyse analyze and any array as asc asymmetric authorization binary both case cast check
            collate collation column concurrently constraint create cross current_date current_role
            current_time current_timestamp current_user default deferrable desc distinct do else end except
            false fetch for foreign freeze from full grant group having ilike in index initially inner
            intersect into is isnull join key lateral leading left like limit localtime localtimestamp
            natural not notnull null offset on only or order outer overlaps placing primary references
            returning right select session_user similar some symmetric table tablesample then to trailing
            true union unique user using values variadic verbose when where window with
            """.trim().split("\\s+", -1));

    public InferredTable {
        remarks = List.copyOf(remarks);
        columns = List.copyOf(columns);
    }

    /**
     * The table as DDL that Sluice reads, with comments.
     *
     * @throws BadInputException when it has no columns, or names that no DDL can declare
     */
    public String ddl() {
        if (columns.stream().noneMatch(InferredColumn::isColumn)) {
            throw new BadInputException("table " + name + ": nothing in the file can be a column"
                    + columns.stream()
                            .map(column -> "\n    " + oneLine(column.name() + ": " + column.comment()))
                            .collect(Collectors.joining()));
        }
        // A name may be a word of SQL: then all are quoted.
        for (boolean quoteAll : new boolean[] {false, true}) {
            String ddl = ddl(quoteAll);
            if (declares(ddl, quoteAll)) {
                return ddl;
            }
        }
        InferredTable bad = columns.stream()
                .filter(InferredColumn::isColumn)
                .map(column -> new InferredTable("t", List.of(), List.of(column)))
                .filter(alone -> !alone.declares(alone.ddl(true), true))
                .findFirst()
                .orElse(null);
        throw new BadInputException(
                (bad == null
                                ? "table name '" + oneLine(name)
                                : "column name '" + oneLine(bad.columns.get(0).name()))
                        + "' cannot be declared in SQL: rename it"
                        + (bad == null
                                ? " with --table"
                                : " in the file, or declare the table with --schema; --columns and --json-path fill its columns"));
    }

    /** Whether DDL, read again, declares this table and nothing else. */
    private boolean declares(String ddl, boolean quoteAll) {
        if (ddl.indexOf('\r') >= 0) {
            return false;
        }
        try {
            boolean reserved = RESERVED.contains(name.toLowerCase(Locale.ROOT))
                    || columns.stream()
                            .anyMatch(column -> RESERVED.contains(column.name().toLowerCase(Locale.ROOT)));
            if (reserved && !quoteAll) {
                return false;
            }
            List<TableDef> tables = Ddl.parse(ddl, name);
            if (tables.size() != 1 || !tables.get(0).name().equals(declared(name, quoteAll))) {
                return false;
            }
            TableDef table = tables.get(0);
            return table.visibleNames()
                    .equals(columns.stream()
                            .filter(InferredColumn::isColumn)
                            .map(column -> declared(column.name(), quoteAll))
                            .toList());
        } catch (BadInputException e) {
            return false;
        }
    }

    /** A column name as the DDL parser stores it: in lower case unless quoted. */
    private static String declared(String name, boolean quoteAll) {
        return !quoteAll && name.matches(PLAIN) ? name.toLowerCase(Locale.ROOT) : name;
    }

    private String ddl(boolean quoteAll) {
        StringBuilder out = new StringBuilder();
        remarks.forEach(remark -> out.append("-- ").append(oneLine(remark)).append('\n'));
        out.append("CREATE TABLE ").append(identifier(name, quoteAll)).append(" (\n");
        long left = columns.stream().filter(InferredColumn::isColumn).count();
        for (InferredColumn column : columns) {
            if (column.isColumn()) {
                left--;
                out.append("  ")
                        .append(identifier(column.name(), quoteAll))
                        .append(' ')
                        .append(column.sql());
                out.append(left > 0 ? "," : "");
                out.append(column.comment().isEmpty() ? "" : " -- " + oneLine(column.comment()));
            } else {
                out.append("  -- no column ").append(oneLine(column.name() + ": " + column.comment()));
            }
            out.append('\n');
        }
        return out.append(");\n").toString();
    }

    private static String identifier(String name, boolean quote) {
        return !quote && name.matches(PLAIN) ? name.toLowerCase(Locale.ROOT) : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\R", " ");
    }
}
