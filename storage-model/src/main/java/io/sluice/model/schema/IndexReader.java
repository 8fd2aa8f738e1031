package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DeclaredForeignKey;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.DeclaredInterleave;
import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.Declared.IndexKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses indexes and references in all notations. JSqlParser supports few of them and parses only the columns. */
final class IndexReader {
    private final DdlProblems problems;

    IndexReader(DdlProblems problems) {
        this.problems = problems;
    }

    /** Whether an element of a table is an index, not a column. */
    static boolean isIndex(TokenCursor element) {
        return element.isWord("PRIMARY") || element.isWord("UNIQUE") || element.isWord("INDEX");
    }

    /**
     * Parses {@code PRIMARY KEY (...)}, {@code UNIQUE [INDEX] [name] (...)} or {@code INDEX [name] (...)} in a table.
     */
    DeclaredIndex ofTable(TokenCursor element, @Nullable String constraintName) {
        int line = element.line();
        if (element.take("PRIMARY")) {
            element.expect("KEY");
            return body(element, line, IndexKind.PRIMARY, constraintName);
        }
        boolean unique = element.take("UNIQUE");
        String name = constraintName;
        if (element.take("INDEX") && name == null && !element.isSymbol('(')) {
            name = element.name("an index");
        }
        return body(element, line, unique ? IndexKind.UNIQUE : IndexKind.PLAIN, name);
    }

    /** Parses columns, STORING and INTERLEAVE after {@code ON table}, or after the index name inside a table. */
    DeclaredIndex body(TokenCursor cursor, int line, IndexKind kind, @Nullable String name) {
        if (cursor.isWord("USING")) {
            throw problems.at(cursor.line(), "index methods (USING) are not supported; leave it out");
        }
        List<DirectedName> columns = SqlGrammar.indexColumns(cursor.parenthesized(), line, problems);
        List<String> storing = cursor.take("STORING") || cursor.take("COVERING") || cursor.take("INCLUDE")
                ? cursor.nameList()
                : List.of();
        DeclaredInterleave interleave = interleave(cursor);
        if (cursor.isWord("WHERE")) {
            throw problems.at(cursor.line(), "a partial index (WHERE) is not supported; index all rows");
        }
        if (!cursor.atEnd()) {
            throw problems.at(cursor.line(), "unexpected " + cursor.next() + " after an index; it is not supported");
        }
        return new DeclaredIndex(line, kind, name, columns, storing, interleave);
    }

    /** Parses {@code INTERLEAVE IN PARENT table (columns)} if it comes next. */
    @Nullable
    DeclaredInterleave interleave(TokenCursor cursor) {
        int line = cursor.line();
        if (!cursor.take("INTERLEAVE")) {
            return null;
        }
        cursor.expect("IN");
        cursor.expect("PARENT");
        return new DeclaredInterleave(line, cursor.tableName(), cursor.nameList());
    }

    /** Parses {@code REFERENCES table [(columns)] [MATCH ...] [ON DELETE ...] [ON UPDATE ...]}. */
    DeclaredForeignKey references(TokenCursor cursor, List<String> columns) {
        int line = cursor.line();
        cursor.expect("REFERENCES");
        String parent = cursor.tableName();
        List<String> parentColumns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
        boolean cascade = false;
        while (true) {
            if (cursor.take("ON", "DELETE")) {
                cascade = action(cursor);
            } else if (cursor.take("ON", "UPDATE")) {
                action(cursor);
            } else if (!cursor.take("MATCH", "SIMPLE") && !cursor.take("MATCH", "FULL")) {
                return new DeclaredForeignKey(line, columns, parent, parentColumns, cascade);
            }
        }
    }

    /** Parses a referential action; returns whether it is CASCADE. */
    private boolean action(TokenCursor cursor) {
        if (cursor.take("CASCADE")) {
            return true;
        }
        if (!cursor.take("RESTRICT")
                && !cursor.take("NO", "ACTION")
                && !cursor.take("SET", "NULL")
                && !cursor.take("SET", "DEFAULT")) {
            throw problems.at(
                    cursor.line(),
                    "expected CASCADE, RESTRICT, NO ACTION, SET NULL or SET DEFAULT instead of " + cursor.next());
        }
        return false;
    }
}
