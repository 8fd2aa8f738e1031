package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.IndexKind;
import io.sluice.model.schema.SqlTypes.Typed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses DDL as CockroachDB, PostgreSQL, MySQL, MariaDB, SQLite, SQL Server and DuckDB write it, also whole dumps.
 * Reads CREATE TABLE, CREATE INDEX, ALTER TABLE, and the types that a file declares. Passes over the statements without
 * meaning for an import, and refuses unknown ones.
 *
 * <p>A table without a primary key gets a hidden last column {@code rowid}. What an import does not do as declared,
 * such as CHECK, is a note.
 */
public final class Ddl {
    /** First words of statements without meaning for an import. */
    private static final Set<String> PASSED = Set.of("""
            SET SELECT COMMENT GRANT REVOKE USE BEGIN START COMMIT ROLLBACK LOCK UNLOCK INSERT
            REPLACE UPDATE DELETE TRUNCATE COPY PRAGMA ANALYZE VACUUM EXEC EXECUTE PRINT DENY IF END
            DECLARE ATTACH LOAD INSTALL CHECKPOINT SECURITY REFRESH CALL RESET REINDEX DO WITH
            RAISERROR RETURN SAVEPOINT RELEASE DROP IMPORT EXPORT CONFIGURE SOURCE FLUSH CHANGE
            PURGE SHOW EXPLAIN DESCRIBE BACKUP RESTORE CANCEL PAUSE RESUME KILL NOTIFY LISTEN
            UNLISTEN DISCARD CLUSTER MERGE PREPARE DEALLOCATE OPTIMIZE UNINSTALL DBCC ENABLE
            DISABLE RECONFIGURE BULK THROW WAITFOR
            """.trim().split("\\s+", -1));

    /** Kinds of objects that CREATE and ALTER name besides tables. */
    private static final Set<String> OBJECTS = Set.of("""
            SEQUENCE VIEW FUNCTION PROCEDURE PROC TRIGGER EVENT SCHEMA DATABASE EXTENSION ROLE USER
            LOGIN RULE POLICY OPERATOR CAST COLLATION AGGREGATE SERVER FOREIGN PUBLICATION
            SUBSCRIPTION STATISTICS TEXT LANGUAGE CONVERSION ACCESS TRANSFORM TABLESPACE MACRO
            SECRET SYNONYM DEFAULT FULLTEXT SPATIAL INVERTED VECTOR PARTITION XML VIRTUAL
            AUTHORIZATION INDEX TYPE DOMAIN LARGE GROUP RANGE CHANGEFEED STATS PRIMARY SCHEDULE
            ASSEMBLY QUEUE SERVICE CONTRACT MESSAGE ROUTE CERTIFICATE SYMMETRIC ASYMMETRIC
            CREDENTIAL APPLICATION MASTER COLUMN SEARCH RESOURCE LOGFILE UNDO PACKAGE
            PERSISTENT
            """.trim().split("\\s+", -1));

    private static final Set<String> MODIFIERS = Set.of("""
            OR REPLACE ALTER TEMP TEMPORARY UNLOGGED GLOBAL LOCAL UNIQUE CLUSTERED NONCLUSTERED
            MATERIALIZED RECURSIVE CONSTRAINT PROCEDURAL TRUSTED COLUMNSTORE
            """.trim().split("\\s+", -1));

    /** Words between CREATE and the object that mysqldump writes, such as DEFINER=`root`@`%` SQL SECURITY DEFINER. */
    private static final Set<String> DEFINERS = Set.of("DEFINER", "ALGORITHM", "SQL");

    private static final int DEFINER_TOKENS = 16;

    private final DdlProblems problems;
    private final PassedOver passedOver = new PassedOver();
    private final Map<String, TableBuilder> tables = new LinkedHashMap<>();
    private final Map<String, Typed> declaredTypes = new HashMap<>();
    /** Names of views, foreign tables and partitions, whose indexes and keys mean nothing to an import. */
    private final Set<String> otherRelations = new HashSet<>();

    private final SqlTypes types;
    private final TableReader tableReader;

    private Ddl(DdlProblems problems, String sql) {
        this.problems = problems;
        types = new SqlTypes(declaredTypes, SqlLexer.hasWideReal(sql), SqlLexer.isSqlite(sql));
        tableReader = new TableReader(problems, passedOver, types);
    }

    /**
     * The tables of a file, and what an import does not do as the file declares it.
     *
     * @param tables the tables in order of declaration
     * @param summary one line that names what was passed over; null if nothing was
     * @param notes notes by table name
     */
    public record Schema(List<TableDef> tables, @Nullable String summary, Map<String, List<String>> notes) {
        public Schema {
            tables = List.copyOf(tables);
            notes = Map.copyOf(notes);
        }

        /** The summary, and the notes of one table. */
        public List<String> remarks(String table) {
            List<String> remarks = new ArrayList<>();
            if (summary != null) {
                remarks.add(summary);
            }
            remarks.addAll(notes.getOrDefault(table, List.of()));
            return remarks;
        }
    }

    /**
     * Parses all statements of a text.
     *
     * @param sourceName name of the text in messages, such as its file name
     * @return the tables in order of declaration
     * @throws BadInputException naming source, line, column and remedy of every violation found
     */
    public static List<TableDef> parse(String sql, String sourceName) {
        return read(sql, sourceName).tables();
    }

    /** Parses as {@link #parse}, with the remarks on what an import does not do as declared. */
    public static Schema read(String sql, String sourceName) {
        DdlProblems problems = new DdlProblems(sourceName, sql);
        return new Ddl(problems, sql).schema(sql);
    }

    private Schema schema(String sql) {
        for (List<Token> statement : SqlLexer.statements(sql, problems, passedOver)) {
            try {
                read(statement);
            } catch (BadInputException e) {
                problems.add(e);
            }
        }
        // An unparsed statement would cause follow-up errors about the names that it declares.
        problems.throwIfAny();
        List<TableDef> defs =
                tables.values().stream().map(table -> table.build(tables)).toList();
        problems.throwIfAny();
        if (defs.isEmpty()) {
            throw problems.at(0, "there is no CREATE TABLE; write one for each table");
        }
        Map<String, List<String>> notes = new HashMap<>();
        String summary = passedOver.summary();
        for (TableBuilder table : tables.values()) {
            // A file that holds only tables is written for Sluice or CockroachDB.
            notes.put(
                    table.name(),
                    table.notes().stream()
                            .filter(note -> summary != null || !note.endsWith(SqlTypes.WIDE_INT))
                            .toList());
        }
        return new Schema(defs, summary, notes);
    }

    /**
     * Selects one table.
     *
     * @param name the table's name, in any case if only one table matches; null: the text must declare exactly one
     *     table
     * @throws BadInputException if no table or several tables match; the message lists the declared names
     */
    public static TableDef select(List<TableDef> tables, @Nullable String name, String sourceName) {
        if (name == null && tables.size() == 1) {
            return tables.get(0);
        }
        List<String> names = tables.stream().map(TableDef::name).toList();
        String found = name == null ? null : match(names, name);
        for (TableDef table : tables) {
            if (table.name().equals(found)) {
                return table;
            }
        }
        String all = String.join(", ", names);
        throw new BadInputException(
                name == null
                        ? sourceName + " declares " + tables.size() + " tables; name the one to import: " + all
                        : sourceName + " declares no table " + name + "; it declares " + all);
    }

    /** The name among the declared ones, in any case if only one matches; the name itself if none does. */
    static String match(Collection<String> declared, String name) {
        if (declared.contains(name)) {
            return name;
        }
        List<String> alike =
                declared.stream().filter(other -> other.equalsIgnoreCase(name)).toList();
        return alike.size() == 1 ? alike.get(0) : name;
    }

    private @Nullable TableBuilder find(String name) {
        return tables.get(match(tables.keySet(), name));
    }

    private void read(List<Token> statement) {
        TokenCursor cursor = new TokenCursor(statement, problems);
        if (cursor.isWord("IF")) {
            // SQL Server's scripts create a table only if it is absent.
            int create = createTable(statement);
            if (create >= 0) {
                boolean end = statement.get(statement.size() - 1).isWord("END");
                read(statement.subList(create, statement.size() - (end ? 1 : 0)));
                return;
            }
        }
        if (cursor.take("CREATE")) {
            create(cursor, statement);
        } else if (cursor.take("ALTER")) {
            alter(cursor, statement);
        } else if (cursor.take("DROP", "TABLE")) {
            cursor.take("IF", "EXISTS");
            passedOver.add("DROP TABLE");
            while (!cursor.atEnd()) {
                tables.remove(match(tables.keySet(), cursor.tableName()));
                if (!cursor.take(',')) {
                    return;
                }
            }
        } else if (isProcedure(statement.get(0))) {
            // SQL Server calls a procedure without EXEC at the start of a batch.
            passedOver.add("EXEC");
        } else if (PASSED.stream().anyMatch(cursor::isWord)) {
            passedOver.add(cursor.next().toUpperCase(Locale.ROOT));
        } else {
            throw unsupported(statement);
        }
    }

    private static boolean isProcedure(Token first) {
        return first.isName() && Token.identifier(first.text()).matches("sys|[sx]p_\\w+");
    }

    private static int createTable(List<Token> statement) {
        for (int i = 0; i + 1 < statement.size(); i++) {
            if (statement.get(i).isWord("CREATE") && statement.get(i + 1).isWord("TABLE")) {
                return i;
            }
        }
        return -1;
    }

    private BadInputException unsupported(List<Token> statement) {
        return problems.at(
                statement.get(0).place(),
                "unsupported statement "
                        + statement.stream().limit(2).map(Token::text).collect(Collectors.joining(" "))
                        + "; expected CREATE TABLE, CREATE INDEX, ALTER TABLE or a statement of a dump");
    }

    private void create(TokenCursor cursor, List<Token> statement) {
        int place = statement.get(0).place();
        boolean unique = false;
        boolean inverted = false;
        while (MODIFIERS.stream().anyMatch(cursor::isWord)) {
            unique |= cursor.isWord("UNIQUE");
            inverted |= cursor.isWord("COLUMNSTORE");
            cursor.skip();
        }
        if (cursor.take("TABLE")) {
            boolean mayExist = cursor.isWord("IF");
            TableBuilder table = tableReader.read(cursor, place, this::find);
            if (table == null) {
                addOtherRelation(statement, "TABLE");
            }
            if (table != null && tables.putIfAbsent(table.name(), table) != null && !mayExist) {
                problems.add(place, "table " + table.name() + " is declared twice; leave one out");
            }
        } else if (cursor.isWord("INDEX") && !inverted) {
            cursor.skip();
            index(cursor, place, unique ? IndexKind.UNIQUE : IndexKind.PLAIN);
        } else if (cursor.take("TYPE") || cursor.take("DOMAIN")) {
            type(cursor);
        } else if (DEFINERS.stream().anyMatch(cursor::isWord)) {
            passedOver.add("CREATE " + object(statement));
        } else if (OBJECTS.stream().anyMatch(cursor::isWord)) {
            addOtherRelation(statement, cursor.isWord("FOREIGN") ? "TABLE" : "VIEW");
            passedOver.add("CREATE " + cursor.next().toUpperCase(Locale.ROOT));
        } else {
            throw unsupported(statement);
        }
    }

    /** Keeps the name after a word, if the statement has both. */
    private void addOtherRelation(List<Token> statement, String word) {
        TokenCursor cursor = new TokenCursor(statement, problems);
        while (!cursor.atEnd() && !cursor.take(word)) {
            cursor.skip();
        }
        cursor.take("IF", "NOT", "EXISTS");
        Token name = cursor.peek(0);
        if (name != null && name.isName()) {
            otherRelations.add(cursor.tableName());
        }
    }

    private boolean isOtherRelation(String name) {
        return otherRelations.contains(match(otherRelations, name));
    }

    private static String object(List<Token> statement) {
        return statement.stream()
                .limit(DEFINER_TOKENS)
                .map(token -> token.text().toUpperCase(Locale.ROOT))
                .filter(OBJECTS::contains)
                .findFirst()
                .orElse("ROUTINE");
    }

    private void index(TokenCursor cursor, int place, IndexKind kind) {
        cursor.take("CONCURRENTLY");
        cursor.take("IF", "NOT", "EXISTS");
        String name = cursor.isWord("ON") ? null : cursor.qualifiedName("an index");
        cursor.expect("ON");
        cursor.take("ONLY");
        String tableName = cursor.tableName();
        TableBuilder table = find(tableName);
        if (table == null && isOtherRelation(tableName)) {
            passedOver.add("CREATE INDEX of a view or partition");
            return;
        }
        if (table == null) {
            // An earlier bad statement may have been the one that declares the table.
            if (problems.count() == 0) {
                problems.add(place, "there is no table " + tableName + " above; declare it before its indexes");
            }
            return;
        }
        DeclaredIndex index = new IndexReader(problems).body(cursor, place, kind, name, table);
        if (index != null) {
            table.add(index);
        }
    }

    /**
     * Reads CREATE TYPE and CREATE DOMAIN: a domain is its base type, an ENUM its labels, and any other type is text.
     */
    private void type(TokenCursor cursor) {
        cursor.take("IF", "NOT", "EXISTS");
        String name = cursor.qualifiedName("a type").toLowerCase(Locale.ROOT);
        boolean as = cursor.take("AS");
        boolean enumeration = as && cursor.isWord("ENUM");
        if (enumeration) {
            cursor.skip();
            List<String> labels = cursor.isSymbol('(')
                    ? cursor.parenthesized().stream()
                            .filter(token -> token.kind() == Token.Kind.STRING)
                            .map(Token::string)
                            .toList()
                    : List.of();
            declaredTypes.put(name, SqlTypes.labels(labels, "ENUM " + name));
            return;
        }
        if (cursor.isSymbol('(') || cursor.atEnd()) {
            declaredTypes.put(name, Typed.text("type " + name));
            return;
        }
        cursor.take("FROM");
        if (cursor.isWord("RANGE") || cursor.isWord("TABLE")) {
            declaredTypes.put(name, Typed.text("type " + name));
            return;
        }
        int place = cursor.place();
        try {
            Typed base = types.read(cursor);
            boolean filled = false;
            while (!cursor.atEnd()) {
                filled |= cursor.isWord("DEFAULT");
                cursor.skip();
            }
            String note = "type " + name + " is taken as " + base.type().sql()
                    + "; an import does not check its conditions"
                    + (filled ? ", and does not take its DEFAULT; fill the column from the input, or it is NULL" : "");
            declaredTypes.put(name, new Typed(base.type(), note, base.serial()));
        } catch (SqlTypes.BadType e) {
            problems.add(place, "type " + name + ": " + e.getMessage());
        }
    }

    private void alter(TokenCursor cursor, List<Token> statement) {
        if (!cursor.take("TABLE")) {
            if (!cursor.isWord("MATERIALIZED") && OBJECTS.stream().noneMatch(cursor::isWord)) {
                throw unsupported(statement);
            }
            passedOver.add("ALTER " + cursor.next().toUpperCase(Locale.ROOT));
            return;
        }
        cursor.take("IF", "EXISTS");
        cursor.take("ONLY");
        int place = cursor.place();
        String name = cursor.tableName();
        TableBuilder table = find(name);
        boolean adds = (cursor.isWord("ADD") || cursor.isWord("WITH")) && !isOtherRelation(name);
        if (cursor.isWord("OWNER") || (table == null && !adds)) {
            // pg_dump alters the owner of views and sequences by ALTER TABLE, too.
            passedOver.add("ALTER TABLE ... " + cursor.next().toUpperCase(Locale.ROOT));
        } else if (table == null) {
            if (problems.count() == 0) {
                problems.add(place, "there is no table " + name + " above; declare it before ALTER TABLE");
            }
        } else {
            tableReader.alter(cursor, table, statement.subList(cursor.position(), statement.size()));
        }
    }
}
