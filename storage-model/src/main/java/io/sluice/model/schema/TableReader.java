package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Declared.DeclaredColumn;
import io.sluice.model.schema.Declared.DeclaredFamily;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.Nullability;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the elements of CREATE TABLE and the actions of ALTER TABLE: columns, indexes, foreign keys. What an import
 * does not do as declared becomes a note of the table.
 */
final class TableReader {
    /** Words that begin an option of a table, which an import does not need. */
    private static final Set<String> TABLE_OPTIONS = Set.of("""
            ENGINE AUTO_INCREMENT DEFAULT CHARSET CHARACTER COLLATE COMMENT ROW_FORMAT WITH WITHOUT
            TABLESPACE PARTITION LOCALITY ON TEXTIMAGE_ON STRICT USING KEY_BLOCK_SIZE
            """.trim().split("\\s+", -1));

    /** Actions of ALTER TABLE that an import does not need. */
    private static final Set<String> PASSED_ACTIONS = Set.of("""
            OWNER CLUSTER ENABLE DISABLE FORCE REPLICA ATTACH VALIDATE CHECK NOCHECK SET CONFIGURE
            PARTITION AUTO_INCREMENT COMMENT ENGINE RESET EXPERIMENTAL_AUDIT INJECT SPLIT UNSPLIT
            SCATTER WITH NO NOT
            """.trim().split("\\s+", -1));

    /** Actions of ALTER COLUMN that an import does not need. */
    private static final Set<String> PASSED_SETTINGS = Set.of("STATISTICS", "STORAGE", "COMPRESSION", "(");

    private final DdlProblems problems;
    private final PassedOver passedOver;
    private final IndexReader indexReader;
    private final SqlTypes types;

    TableReader(DdlProblems problems, PassedOver passedOver, SqlTypes types) {
        this.problems = problems;
        this.passedOver = passedOver;
        this.types = types;
        indexReader = new IndexReader(problems);
    }

    /** The tables declared so far in the same file. */
    interface Tables {
        @Nullable
        TableBuilder find(String name);
    }

    /**
     * Parses a table from its name on.
     *
     * @return the table; null for a partition, which has no columns of its own, and for SQLite's internal tables
     */
    @Nullable
    TableBuilder read(TokenCursor cursor, int place, Tables tables) {
        cursor.take("IF", "NOT", "EXISTS");
        if (isInternal(cursor.peek(0))) {
            passedOver.add("SQLite's internal tables");
            return null;
        }
        TableBuilder table = new TableBuilder(cursor.tableName(), place, problems);
        if (cursor.isWord("PARTITION")) {
            passedOver.add("CREATE TABLE ... PARTITION OF");
            return null;
        }
        if (!cursor.isSymbol('(')) {
            throw problems.at(
                    cursor.place(), "expected columns in parentheses instead of " + cursor.next() + "; list them all");
        }
        List<Token> list = cursor.parenthesized();
        for (List<Token> element : split(list)) {
            try {
                element(new TokenCursor(element, problems), table);
            } catch (BadInputException e) {
                // Reading continues with the next element, to report several violations together.
                problems.add(e);
            }
        }
        table.interleave(indexReader.interleave(cursor));
        if (cursor.take("INHERITS")) {
            for (List<Token> parent : split(cursor.parenthesized())) {
                int at = parent.get(0).place();
                String name = new TokenCursor(parent, problems).tableName();
                TableBuilder from = tables.find(name);
                if (from == null) {
                    throw problems.at(
                            at, "there is no table " + name + " above; declare it before the tables that inherit");
                }
                table.inherit(from);
            }
        }
        if (table.isEmpty() && problems.count() == 0) {
            throw problems.at(place, "table " + table.name() + " has no columns; declare at least one");
        }
        options(cursor);
        return table;
    }

    private void options(TokenCursor cursor) {
        Token second = cursor.peek(1);
        boolean option = TABLE_OPTIONS.stream().anyMatch(cursor::isWord) || (second != null && second.isSymbol('='));
        if (!cursor.atEnd() && !option) {
            throw problems.at(
                    cursor.place(),
                    "unexpected " + cursor.next() + " after the table; end the statement with a semicolon");
        }
        if (option) {
            passedOver.add("options of a table");
        }
        while (!cursor.atEnd()) {
            if (cursor.isSymbol('(')) {
                cursor.parenthesized();
            } else if (cursor.isWord("INTERLEAVE") || cursor.isWord("INHERITS") || cursor.isWord("CREATE")) {
                throw problems.at(
                        cursor.place(),
                        "unexpected " + cursor.next()
                                + " after an option; write it directly after the columns, or end the"
                                + " statement with a semicolon");
            } else {
                cursor.skip();
            }
        }
    }

    private List<List<Token>> split(List<Token> list) {
        List<List<Token>> elements = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= list.size(); i++) {
            if (i == list.size() || (depth == 0 && list.get(i).isSymbol(','))) {
                if (i == start && !list.isEmpty()) {
                    boolean end = i == list.size();
                    throw problems.at(
                            list.get(end ? i - 1 : i).place(),
                            "unexpected " + (end ? ")" : ",") + "; a column is missing before it");
                }
                if (i > start) {
                    elements.add(list.subList(start, i));
                }
                start = i + 1;
            } else if (list.get(i).isSymbol('(') || list.get(i).isSymbol('[')) {
                depth++;
            } else if (list.get(i).isSymbol(')') || list.get(i).isSymbol(']')) {
                depth--;
            }
        }
        return elements;
    }

    /**
     * Whether a table is one of SQLite's counters and statistics, or holds a full-text index, whose name is a string.
     */
    private static boolean isInternal(@Nullable Token name) {
        return name != null
                && (name.kind() == Token.Kind.STRING || name.text().matches("(?i)sqlite_(sequence|stat\\d)"));
    }

    private void element(TokenCursor cursor, TableBuilder table) {
        int start = cursor.place();
        String constraint = cursor.take("CONSTRAINT") && !isConstraint(cursor) ? cursor.name("a constraint") : null;
        boolean named = start != cursor.place();
        if (cursor.isWord("PRIMARY") || cursor.isWord("UNIQUE") || (!named && IndexReader.isIndex(cursor))) {
            DeclaredIndex index = indexReader.ofTable(cursor, constraint, table);
            if (index != null) {
                table.add(index);
            }
        } else if (cursor.take("FOREIGN", "KEY")) {
            if (!cursor.isSymbol('(')) {
                cursor.name("a foreign key");
            }
            table.add(indexReader.references(cursor, cursor.nameList(), table));
            indexReader.tail(cursor);
        } else if (cursor.take("CHECK")) {
            indexReader.check(cursor, constraint, table);
        } else if (cursor.take("NOT", "NULL")) {
            table.notNull(cursor.name("a column"), start);
            indexReader.tail(cursor);
        } else if (IndexReader.isClause(cursor, "EXCLUDE")) {
            passElement(cursor, table, "constraint " + constraint, IndexReader.CHECK_NOTE);
        } else if (isOtherIndex(cursor, "FULLTEXT")
                || isOtherIndex(cursor, "SPATIAL")
                || isOtherIndex(cursor, "INVERTED")
                || isOtherIndex(cursor, "VECTOR")) {
            passElement(cursor, table, cursor.next() + " index", "left out, because its kind is not supported");
        } else if (!named && IndexReader.isClause(cursor, "FAMILY")) {
            int place = cursor.place();
            cursor.skip();
            String name = cursor.isSymbol('(') ? "" : cursor.name("a column family");
            table.add(new DeclaredFamily(place, name, cursor.nameList()));
        } else if (!named && cursor.isWord("PERIOD") && cursor.peek(1) != null && isWord(cursor.peek(1), "FOR")) {
            passElement(cursor, table, "PERIOD", "an import does not keep row versions");
        } else if (named || cursor.isWord("LIKE")) {
            throw problems.at(
                    cursor.place(),
                    "unexpected " + cursor.next() + "; expected PRIMARY KEY, UNIQUE, FOREIGN KEY, CHECK or a column");
        } else {
            table.add(columnReader(table).read(cursor));
        }
        if (!cursor.atEnd()) {
            throw problems.at(
                    cursor.place(), "unexpected " + cursor.next() + "; expected a comma or the end of the table");
        }
    }

    private ColumnReader columnReader(TableBuilder table) {
        return new ColumnReader(table, problems, passedOver, indexReader, types);
    }

    private static boolean isWord(@Nullable Token token, String word) {
        return token != null && token.isWord(word);
    }

    private static boolean isOtherIndex(TokenCursor cursor, String kind) {
        boolean index = isWord(cursor.peek(1), "INDEX") || isWord(cursor.peek(1), "KEY");
        return cursor.isWord(kind) && (index || IndexReader.isClause(cursor, kind));
    }

    private static boolean isConstraint(TokenCursor cursor) {
        return cursor.isWord("PRIMARY")
                || cursor.isWord("UNIQUE")
                || cursor.isWord("FOREIGN")
                || cursor.isWord("CHECK");
    }

    private static void passElement(TokenCursor cursor, TableBuilder table, String subject, String note) {
        while (!cursor.atEnd()) {
            cursor.skip();
        }
        table.note(note, subject);
    }

    /** Parses ALTER TABLE from the action on. */
    void alter(TokenCursor cursor, TableBuilder table, List<Token> rest) {
        if (cursor.take("WITH", "CHECK") || cursor.take("WITH", "NOCHECK")) {
            if (!cursor.isWord("ADD")) {
                passedOver.add("ALTER TABLE ... CHECK CONSTRAINT");
                return;
            }
            alter(cursor, table, rest.subList(2, rest.size()));
            return;
        }
        List<List<Token>> actions = split(rest);
        String verb = "";
        for (List<Token> tokens : actions) {
            TokenCursor action = new TokenCursor(tokens, problems);
            if (action.take("ADD")) {
                verb = "ADD";
                add(action, table);
            } else if (action.take("MODIFY")) {
                verb = "MODIFY";
                action.take("COLUMN");
                table.replace(columnReader(table).read(action));
            } else if (action.take("ALTER")) {
                verb = "ALTER";
                action.take("COLUMN");
                alterColumn(action, table);
            } else if (PASSED_ACTIONS.stream().anyMatch(action::isWord)) {
                verb = "";
                passedOver.add("ALTER TABLE ... " + action.next().toUpperCase(Locale.ROOT));
                if (action.isWord("CONFIGURE")) {
                    // The settings of a zone have commas between them.
                    return;
                }
            } else if (verb.equals("ADD")) {
                // SQL Server names ADD once for several elements.
                add(action, table);
            } else {
                throw problems.at(
                        action.place(),
                        "ALTER TABLE ... " + action.next() + " is not supported; write its result into CREATE TABLE");
            }
        }
    }

    private void add(TokenCursor action, TableBuilder table) {
        int start = action.position();
        Token third = action.peek(2);
        boolean namedDefault = action.isWord("CONSTRAINT") && isWord(third, "DEFAULT");
        if (namedDefault || action.isWord("DEFAULT")) {
            while (!action.take("DEFAULT")) {
                action.skip();
            }
            int place = action.place();
            DefaultReader.Default value = DefaultReader.read(action, problems, types);
            action.expect("FOR");
            setDefault(table, action.name("a column"), place, value);
            return;
        }
        if (action.take("GENERATED") || action.take("PERIOD") || action.take("PARTITION")) {
            passedOver.add("ALTER TABLE ... ADD " + action.since(start).get(0).text());
            return;
        }
        action.take("COLUMN");
        action.take("IF", "NOT", "EXISTS");
        element(action, table);
    }

    private void alterColumn(TokenCursor action, TableBuilder table) {
        int place = action.place();
        String name = action.name("a column");
        if (action.take("SET", "DEFAULT")) {
            setDefault(table, name, place, DefaultReader.read(action, problems, types));
        } else if (action.take("SET", "NOT", "NULL")) {
            DeclaredColumn column = table.column(name, place);
            if (column != null) {
                table.replace(new DeclaredColumn(
                        place, column.name(), column.type(), Nullability.NOT_NULL, column.defaultText()));
            }
        } else if (action.take("ADD", "GENERATED")) {
            table.note(SqlTypes.NOT_GENERATED, "column " + name);
        } else if (action.take("SET") && PASSED_SETTINGS.contains(action.next().toUpperCase(Locale.ROOT))) {
            passedOver.add("ALTER COLUMN ... SET");
        } else {
            throw problems.at(
                    action.place(),
                    "ALTER COLUMN ... " + action.next() + " is not supported; write its result into CREATE TABLE");
        }
    }

    private static void setDefault(TableBuilder table, String name, int place, DefaultReader.Default given) {
        DeclaredColumn column = table.column(name, place);
        if (column != null) {
            DefaultReader.Default value = given.in(column.type());
            table.replace(new DeclaredColumn(place, column.name(), column.type(), column.nullability(), value.text()));
            if (!value.isConstant()) {
                table.note(ColumnReader.DEFAULT_NOTE, "column " + column.name());
            }
        }
    }
}
