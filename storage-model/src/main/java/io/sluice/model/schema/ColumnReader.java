package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DeclaredColumn;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.Declared.IndexKind;
import io.sluice.model.schema.Declared.Nullability;
import io.sluice.model.schema.IndexColumn.Direction;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses one column of CREATE TABLE or ALTER TABLE: its name, type and clauses. */
final class ColumnReader {
    static final String DEFAULT_NOTE =
            "an import does not evaluate the DEFAULT; fill the column from the input, or it is NULL";

    private static final String GENERATED_NOTE =
            "an import does not evaluate the expression; fill the column from the input";

    /** Clauses of a column that an import does not need, which have one word or string after them. */
    private static final Set<String> COLUMN_CLAUSES =
            Set.of("COMMENT", "STORAGE", "COMPRESSION", "COLUMN_FORMAT", "SRID", "CONSTRAINT");

    /** Words of a column that an import does not need. */
    private static final Set<String> COLUMN_WORDS = Set.of(
            "ROWGUIDCOL",
            "SPARSE",
            "VISIBLE",
            "INVISIBLE",
            "BINARY",
            "ASCII",
            "UNICODE",
            "HIDDEN",
            "FILESTREAM",
            "COMPRESSED");

    /** Words that follow the type of a column, or in SQLite its name. */
    private static final Set<String> AFTER_TYPE = Set.of(
            "AS",
            "CHECK",
            "COLLATE",
            "CONSTRAINT",
            "DEFAULT",
            "GENERATED",
            "NOT",
            "NULL",
            "PRIMARY",
            "REFERENCES",
            "UNIQUE");

    private final TableBuilder table;
    private final DdlProblems problems;
    private final PassedOver passedOver;
    private final IndexReader indexReader;
    private final SqlTypes types;
    private String column = "";
    private int place;
    private Nullability nullability = Nullability.UNSAID;
    private @Nullable String defaultText;

    /** Creates a reader of one column of a table. */
    ColumnReader(
            TableBuilder table, DdlProblems problems, PassedOver passedOver, IndexReader indexReader, SqlTypes types) {
        this.table = table;
        this.problems = problems;
        this.passedOver = passedOver;
        this.indexReader = indexReader;
        this.types = types;
    }

    /** Parses the column from its name on; its indexes and foreign key are added to the table. */
    DeclaredColumn read(TokenCursor cursor) {
        place = cursor.place();
        column = cursor.name("a column");
        ColumnType type = ColumnType.of(TypeKind.STRING);
        if (isUntyped(cursor)) {
            table.note(
                    "no type is declared, so it is taken as STRING; write the type after the name", "column " + column);
            while (!cursor.atEnd()) {
                next(cursor, type);
            }
            return new DeclaredColumn(place, column, type, nullability, defaultText);
        }
        if (cursor.atEnd() || !isName(cursor)) {
            throw problems.at(
                    cursor.place(),
                    "expected a type after column " + column + " instead of " + cursor.next()
                            + ", such as INT or STRING");
        }
        int typePlace = cursor.place();
        try {
            SqlTypes.Typed typed = types.read(cursor);
            type = typed.type();
            if (typed.note() != null) {
                table.note(typed.note(), "column " + column);
            }
            if (typed.serial()) {
                generated();
            }
        } catch (SqlTypes.BadType e) {
            problems.add(typePlace, "column " + column + ": " + e.getMessage());
        }
        while (!cursor.atEnd()) {
            next(cursor, type);
        }
        return new DeclaredColumn(place, column, type, nullability, defaultText);
    }

    /** Whether a column has no type: those of SQLite need none, and computed ones of SQL Server never have one. */
    private boolean isUntyped(TokenCursor cursor) {
        return cursor.isWord("AS")
                || (types.areOptional()
                        && (cursor.atEnd() || AFTER_TYPE.stream().anyMatch(cursor::isWord)));
    }

    private static boolean isName(TokenCursor cursor) {
        Token next = cursor.peek(0);
        return next != null && next.isName();
    }

    private void generated() {
        nullability = Nullability.NOT_NULL;
        table.note(SqlTypes.NOT_GENERATED, "column " + column);
    }

    private void next(TokenCursor cursor, ColumnType type) {
        if (cursor.take("NOT", "NULL")) {
            nullability(Nullability.NOT_NULL);
        } else if (cursor.take("NOT", "VISIBLE")) {
            passedOver.add("NOT VISIBLE");
        } else if (cursor.take("NULL")) {
            nullability(Nullability.NULL);
        } else if (cursor.take("PRIMARY", "KEY") || cursor.take("KEY")) {
            IndexReader.clustered(cursor);
            Direction direction = cursor.take("DESC") ? Direction.DESC : Direction.ASC;
            cursor.take("ASC");
            index(IndexKind.PRIMARY, direction, cursor);
        } else if (cursor.take("UNIQUE")) {
            cursor.take("KEY");
            IndexReader.clustered(cursor);
            index(IndexKind.UNIQUE, Direction.ASC, cursor);
        } else if (cursor.take("DEFAULT")) {
            DefaultReader.Default value =
                    DefaultReader.read(cursor, problems, types).in(type);
            defaultText = value.text();
            if (!value.isConstant()) {
                table.note(DEFAULT_NOTE, "column " + column);
            }
        } else if (cursor.isWord("REFERENCES")) {
            table.add(indexReader.references(cursor, List.of(column), table));
            indexReader.tail(cursor);
        } else if (cursor.take("CHECK")) {
            indexReader.check(cursor, column, table);
        } else if (cursor.take("COLLATE")) {
            cursor.qualifiedName("a collation");
            table.note("COLLATE is not kept; texts compare by their bytes", "column " + column);
        } else if (cursor.take("CHARACTER", "SET") || cursor.take("CHARSET")) {
            cursor.skip();
            passedOver.add("CHARACTER SET");
        } else if (cursor.take("AUTO_INCREMENT") || cursor.take("AUTOINCREMENT")) {
            table.note(SqlTypes.NOT_GENERATED, "column " + column);
        } else if (cursor.take("IDENTITY")) {
            parentheses(cursor);
            cursor.take("NOT", "FOR", "REPLICATION");
            generated();
        } else if (cursor.take("GENERATED")) {
            generatedAs(cursor);
        } else if (cursor.take("AS")) {
            computed(cursor);
        } else if (cursor.take("ON", "UPDATE")) {
            DefaultReader.read(cursor, problems, types);
            passedOver.add("ON UPDATE");
        } else {
            clause(cursor);
        }
    }

    private void generatedAs(TokenCursor cursor) {
        if (!cursor.take("ALWAYS") && cursor.take("BY")) {
            cursor.expect("DEFAULT");
        }
        cursor.take("ON", "NULL");
        cursor.expect("AS");
        if (cursor.take("IDENTITY")) {
            parentheses(cursor);
            generated();
        } else if (cursor.take("ROW")) {
            cursor.skip();
            table.note("an import does not keep row versions", "column " + column);
        } else {
            computed(cursor);
        }
    }

    private void computed(TokenCursor cursor) {
        cursor.parenthesized();
        if (!cursor.take("STORED") && !cursor.take("VIRTUAL") && !cursor.take("PERSISTED")) {
            cursor.take("PERSISTENT");
        }
        table.note(GENERATED_NOTE, "column " + column);
    }

    /** Skips a clause without meaning for an import. */
    private void clause(TokenCursor cursor) {
        for (String clause : COLUMN_CLAUSES) {
            if (cursor.take(clause)) {
                cursor.skip();
                if (!clause.equals("CONSTRAINT")) {
                    passedOver.add(clause + " of a column");
                }
                return;
            }
        }
        for (String word : COLUMN_WORDS) {
            if (cursor.take(word)) {
                passedOver.add(word);
                return;
            }
        }
        if (cursor.take("MASKED", "WITH") || cursor.take("ENCRYPTED", "WITH")) {
            cursor.parenthesized();
            passedOver.add("WITH of a column");
            return;
        }
        if (cursor.take("COLUMN_SET", "FOR", "ALL_SPARSE_COLUMNS")) {
            passedOver.add("COLUMN_SET");
            return;
        }
        boolean create = cursor.take("CREATE");
        boolean mayExist = cursor.take("IF", "NOT", "EXISTS");
        if (cursor.take("FAMILY")) {
            String name = cursor.atEnd() || !isName(cursor) ? "" : cursor.name("a column family");
            table.family(place, column, name, create, mayExist);
            return;
        }
        int before = cursor.position();
        indexReader.tail(cursor);
        if (create || mayExist || cursor.position() == before) {
            throw problems.at(
                    cursor.place(),
                    "column " + column + ": unexpected " + cursor.next()
                            + "; expected a comma, NULL, NOT NULL, DEFAULT, PRIMARY KEY, UNIQUE or REFERENCES");
        }
    }

    private void parentheses(TokenCursor cursor) {
        if (cursor.isSymbol('(')) {
            cursor.parenthesized();
        }
    }

    private void index(IndexKind kind, Direction direction, TokenCursor cursor) {
        table.add(DeclaredIndex.ofColumn(place, kind, new DirectedName(column, direction)));
        indexReader.tail(cursor);
    }

    private void nullability(Nullability now) {
        if (nullability != Nullability.UNSAID && nullability != now) {
            problems.add(place, "column " + column + " is declared both NULL and NOT NULL; leave one out");
        }
        nullability = now;
    }
}
