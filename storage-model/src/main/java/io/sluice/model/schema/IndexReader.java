package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DeclaredForeignKey;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.DeclaredInterleave;
import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.Declared.IndexKind;
import io.sluice.model.schema.IndexColumn.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses indexes, references and checks in the notations of all systems. */
final class IndexReader {
    /** Note of a table with a constraint that an import does not check. */
    static final String CHECK_NOTE = "an import does not check it";

    private static final String NO_ACTION = "statements refuse a change of a row that others refer to instead";

    private static final String ONE_NULL = "it allows one NULL (NULLS NOT DISTINCT)";

    private final DdlProblems problems;

    IndexReader(DdlProblems problems) {
        this.problems = problems;
    }

    /** Whether an element of a table is an index, not a column. */
    static boolean isIndex(TokenCursor element) {
        return element.isWord("PRIMARY")
                || element.isWord("UNIQUE")
                || isClause(element, "INDEX")
                || isClause(element, "KEY");
    }

    /** Whether the word begins a clause with columns in parentheses; otherwise it is the name of a column. */
    static boolean isClause(TokenCursor element, String word) {
        if (!element.isWord(word)) {
            return false;
        }
        Token next = element.peek(1);
        if (next == null || next.isSymbol('(') || next.isWord("USING")) {
            return true;
        }
        Token open = element.peek(2);
        Token first = element.peek(3);
        return open != null
                && (open.isWord("USING")
                        || open.isWord("CLUSTERED")
                        || open.isWord("NONCLUSTERED")
                        || (open.isSymbol('(') && (first == null || first.isName() || first.isSymbol('('))));
    }

    /**
     * Parses {@code PRIMARY KEY (...)}, {@code UNIQUE [INDEX | KEY] [name] (...)} or {@code INDEX | KEY [name] (...)}
     * in a table.
     *
     * @return the index; null if it is left out
     */
    @Nullable
    DeclaredIndex ofTable(TokenCursor element, @Nullable String constraintName, TableBuilder table) {
        int place = element.place();
        if (element.take("PRIMARY")) {
            element.expect("KEY");
            clustered(element);
            return body(element, place, IndexKind.PRIMARY, constraintName, table);
        }
        boolean unique = element.take("UNIQUE");
        clustered(element);
        String name = constraintName;
        if (unique && element.take("WITHOUT", "INDEX")) {
            element.nameList();
            tail(element);
            table.note(CHECK_NOTE, name == null ? "UNIQUE WITHOUT INDEX" : "UNIQUE WITHOUT INDEX " + name);
            return null;
        }
        boolean word = element.take("INDEX") || element.take("KEY");
        if ((word || unique) && !element.isSymbol('(') && !element.isWord("USING") && !element.isWord("NULLS")) {
            String own = element.name("an index");
            name = name == null ? own : name;
            clustered(element);
        }
        return body(element, place, unique ? IndexKind.UNIQUE : IndexKind.PLAIN, name, table);
    }

    static void clustered(TokenCursor cursor) {
        if (!cursor.take("CLUSTERED")) {
            cursor.take("NONCLUSTERED");
        }
    }

    /**
     * Parses columns, STORING and INTERLEAVE after {@code ON table}, or after the index name inside a table. An index
     * that cannot be kept is left out with a note; a primary key that cannot be kept is refused.
     *
     * @return the index; null if it is left out
     */
    @Nullable
    DeclaredIndex body(TokenCursor cursor, int place, IndexKind kind, @Nullable String name, TableBuilder table) {
        String unfit = cursor.take("NULLS", "NOT", "DISTINCT") ? ONE_NULL : null;
        cursor.take("NULLS", "DISTINCT");
        if (cursor.take("USING")) {
            String method = cursor.name("an index method");
            unfit = method.equals("btree") ? null : "its method " + method + " is not supported";
        }
        List<DirectedName> columns = new ArrayList<>();
        List<Token> list = cursor.parenthesized();
        if (list.isEmpty()) {
            throw problems.at(place, "the index has no columns; name at least one");
        }
        TokenCursor inside = new TokenCursor(list, problems);
        while (!inside.atEnd()) {
            String why = column(inside, columns);
            unfit = unfit == null ? why : unfit;
        }
        if (kind == IndexKind.PRIMARY && cursor.take("INCLUDE")) {
            // The primary index holds every column anyway.
            cursor.nameList();
        }
        List<String> storing = cursor.take("STORING") || cursor.take("COVERING") || cursor.take("INCLUDE")
                ? cursor.nameList()
                : List.of();
        DeclaredInterleave interleave = interleave(cursor);
        String tail = tail(cursor);
        unfit = unfit == null ? tail : unfit;
        if (!cursor.atEnd()) {
            throw problems.at(
                    cursor.place(),
                    "unexpected " + cursor.next() + " after an index; end it with a comma or a semicolon");
        }
        if (unfit == null) {
            return new DeclaredIndex(place, kind, name, columns, storing, interleave);
        }
        if (kind == IndexKind.PRIMARY) {
            throw problems.at(place, "the primary key cannot be kept: " + unfit + "; declare it on plain columns");
        }
        table.note(
                "left out, because " + unfit + (kind == IndexKind.UNIQUE ? "; its values are not checked" : ""),
                "index " + (name == null ? written(list) : name));
        return null;
    }

    /** Parses an index column; returns why an index with it cannot be kept, or null. */
    private @Nullable String column(TokenCursor list, List<DirectedName> columns) {
        if (list.take(',')) {
            throw problems.at(list.place(), "expected the name of a column instead of ,; leave the comma out");
        }
        int start = list.position();
        if (!list.isSymbol('(')) {
            list.name("a column");
        }
        String unfit = null;
        if (list.isSymbol('(')) {
            boolean prefix = list.position() > start && isNumber(list.peek(1)) && isClosing(list.peek(2));
            unfit = prefix ? "it holds only the beginning of a column" : "it has an expression";
        } else {
            String name = Token.identifier(list.since(start).get(0).text());
            Direction direction = Direction.ASC;
            if (list.take("DESC")) {
                direction = Direction.DESC;
            } else {
                list.take("ASC");
            }
            columns.add(new DirectedName(name, direction));
            if (!list.atEnd() && !list.isSymbol(',')) {
                unfit = list.next() + " after a column is not supported";
            }
        }
        while (!list.atEnd() && !list.isSymbol(',')) {
            if (list.isSymbol('(')) {
                list.parenthesized();
            } else {
                list.skip();
            }
        }
        if (list.take(',') && list.atEnd()) {
            throw problems.at(list.place(), "expected the name of a column instead of the end; leave the comma out");
        }
        return unfit;
    }

    private static boolean isNumber(@Nullable Token token) {
        return token != null && token.kind() == Token.Kind.NUMBER;
    }

    private static boolean isClosing(@Nullable Token token) {
        return token != null && token.isSymbol(')');
    }

    private static String written(List<Token> list) {
        return "(" + list.stream().map(Token::text).collect(Collectors.joining(" ")) + ")";
    }

    /**
     * Skips the clauses after an index or a constraint that do not change its keys.
     *
     * @return why an index with the clauses cannot be kept, or null
     */
    @Nullable
    String tail(TokenCursor cursor) {
        String unfit = null;
        while (!cursor.atEnd()) {
            if (cursor.take("WHERE")) {
                unfit = "it is partial (WHERE)";
                while (!cursor.atEnd()) {
                    cursor.skip();
                }
            } else if (cursor.take("USING", "HASH")) {
                unfit = "its method hash is not supported";
                if (cursor.take("WITH", "BUCKET_COUNT")) {
                    cursor.take('=');
                    cursor.skip();
                }
            } else if (cursor.take("NULLS", "NOT", "DISTINCT")) {
                unfit = ONE_NULL;
            } else if (cursor.take("PARTITION", "BY") || cursor.take("LOCALITY")) {
                while (!cursor.atEnd()) {
                    cursor.skip();
                }
            } else if (cursor.take("WITH") || cursor.take("WITH", "PARSER")) {
                if (cursor.isSymbol('(')) {
                    cursor.parenthesized();
                } else {
                    cursor.skip();
                }
            } else if (cursor.take("ON", "CONFLICT")
                    || cursor.take("USING", "INDEX", "TABLESPACE")
                    || cursor.take("USING")
                    || cursor.take("ON")
                    || cursor.take("FILESTREAM_ON")
                    || cursor.take("TABLESPACE")
                    || cursor.take("COMMENT")
                    || cursor.take("VISIBILITY")
                    || cursor.take("INITIALLY")) {
                cursor.skip();
                if (cursor.isSymbol('(')) {
                    cursor.parenthesized();
                }
            } else if (cursor.take("KEY_BLOCK_SIZE") || cursor.take("ALGORITHM") || cursor.take("LOCK")) {
                cursor.take('=');
                cursor.skip();
            } else if (!cursor.take("DEFERRABLE")
                    && !cursor.take("NOT", "DEFERRABLE")
                    && !cursor.take("NOT", "VALID")
                    && !cursor.take("NOT", "ENFORCED")
                    && !cursor.take("NOT", "FOR", "REPLICATION")
                    && !cursor.take("NOT", "VISIBLE")
                    && !cursor.take("NO", "INHERIT")
                    && !cursor.take("ENFORCED")
                    && !cursor.take("VISIBLE")
                    && !cursor.take("INVISIBLE")
                    && !cursor.take("IGNORED")
                    && !cursor.take("ENABLE")) {
                break;
            }
        }
        return unfit;
    }

    /** Parses {@code INTERLEAVE IN PARENT table (columns)} if it comes next. */
    @Nullable
    DeclaredInterleave interleave(TokenCursor cursor) {
        int place = cursor.place();
        if (!cursor.take("INTERLEAVE")) {
            return null;
        }
        cursor.expect("IN");
        cursor.expect("PARENT");
        return new DeclaredInterleave(place, cursor.tableName(), cursor.nameList());
    }

    /**
     * Parses {@code REFERENCES table [(columns)] [MATCH ...] [ON DELETE ...] [ON UPDATE ...]}.
     *
     * @param table receives a note of each action that statements do not take
     */
    DeclaredForeignKey references(TokenCursor cursor, List<String> columns, TableBuilder table) {
        int place = cursor.place();
        cursor.expect("REFERENCES");
        String parent = cursor.tableName();
        List<String> parentColumns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
        boolean cascade = false;
        while (true) {
            if (cursor.take("ON", "DELETE")) {
                cascade = cursor.isWord("CASCADE");
                String action = action(cursor);
                if (!cascade && action != null) {
                    table.note(NO_ACTION, "foreign key (" + String.join(", ", columns) + ") ON DELETE " + action);
                }
            } else if (cursor.take("ON", "UPDATE")) {
                String action = action(cursor);
                if (action != null) {
                    table.note(NO_ACTION, "foreign key (" + String.join(", ", columns) + ") ON UPDATE " + action);
                }
            } else if (!cursor.take("MATCH", "SIMPLE")
                    && !cursor.take("MATCH", "FULL")
                    && !cursor.take("MATCH", "PARTIAL")) {
                return new DeclaredForeignKey(place, columns, parent, parentColumns, cascade);
            }
        }
    }

    /** Parses a referential action; returns its words if it changes rows, else null. */
    private @Nullable String action(TokenCursor cursor) {
        if (cursor.take("CASCADE")) {
            return "CASCADE";
        }
        if (cursor.take("SET", "NULL")) {
            return "SET NULL";
        }
        if (cursor.take("SET", "DEFAULT")) {
            return "SET DEFAULT";
        }
        if (!cursor.take("RESTRICT") && !cursor.take("NO", "ACTION")) {
            throw problems.at(
                    cursor.place(),
                    "expected CASCADE, RESTRICT, NO ACTION, SET NULL or SET DEFAULT instead of " + cursor.next());
        }
        return null;
    }

    /** Parses a CHECK from the word after it on. */
    void check(TokenCursor cursor, @Nullable String name, TableBuilder table) {
        cursor.take("NOT", "FOR", "REPLICATION");
        cursor.parenthesized();
        tail(cursor);
        table.note(CHECK_NOTE, name == null ? "CHECK" : "CHECK " + name);
    }
}
