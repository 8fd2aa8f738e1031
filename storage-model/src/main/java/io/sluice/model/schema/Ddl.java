package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Declared.DeclaredIndex;
import io.sluice.model.schema.Declared.IndexKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses DDL: CREATE TABLE and CREATE INDEX of CockroachDB 20.2, with interleaving, STORING and foreign keys, and the
 * PostgreSQL equivalents.
 *
 * <p>A table without a primary key gets a hidden last column {@code rowid}. The parser refuses CHECK, non-constant
 * DEFAULTs, column families, and partial and expression indexes, because an import would silently ignore them.
 */
public final class Ddl {
    private Ddl() {}

    /**
     * Parses all statements of a text, separated by semicolons.
     *
     * @param sourceName name of the text in messages, such as its file name
     * @return the tables in order of declaration
     * @throws BadInputException naming source, line and remedy of every violation found
     */
    public static List<TableDef> parse(String sql, String sourceName) {
        DdlProblems problems = new DdlProblems(sourceName);
        Map<String, TableBuilder> tables = new LinkedHashMap<>();
        for (List<Token> statement : statements(SqlLexer.tokens(sql, problems))) {
            try {
                read(statement, tables, problems);
            } catch (BadInputException e) {
                problems.add(e);
            }
        }
        // An unparsed statement would cause follow-up errors about the names that it declares.
        problems.throwIfAny();
        List<TableDef> defs = tables.values().stream().map(TableBuilder::build).toList();
        problems.throwIfAny();
        if (defs.isEmpty()) {
            throw problems.at(1, "there is no CREATE TABLE; write one for each table");
        }
        return defs;
    }

    /**
     * Selects one table.
     *
     * @param name the table's name; null: the text must declare exactly one table
     * @throws BadInputException if no table or several tables match; the message lists the declared names
     */
    public static TableDef select(List<TableDef> tables, @Nullable String name, String sourceName) {
        if (name == null && tables.size() == 1) {
            return tables.get(0);
        }
        for (TableDef table : tables) {
            if (table.name().equals(name)) {
                return table;
            }
        }
        String names = tables.stream().map(TableDef::name).collect(Collectors.joining(", "));
        throw new BadInputException(
                name == null
                        ? sourceName + " declares " + tables.size() + " tables; name the one to import: " + names
                        : sourceName + " declares no table " + name + "; it declares " + names);
    }

    private static List<List<Token>> statements(List<Token> tokens) {
        List<List<Token>> statements = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= tokens.size(); i++) {
            if (i == tokens.size() || tokens.get(i).isSymbol(';')) {
                if (i > start) {
                    statements.add(tokens.subList(start, i));
                }
                start = i + 1;
            }
        }
        return statements;
    }

    private static void read(List<Token> statement, Map<String, TableBuilder> tables, DdlProblems problems) {
        TokenCursor cursor = new TokenCursor(statement, problems);
        int line = cursor.line();
        if (cursor.take("CREATE", "TABLE")) {
            TableBuilder table = new TableReader(statement, problems).read();
            if (tables.putIfAbsent(table.name(), table) != null) {
                problems.add(line, "table " + table.name() + " is declared twice; leave one out");
            }
        } else if (cursor.take("CREATE", "INDEX")) {
            index(cursor, line, IndexKind.PLAIN, tables, problems);
        } else if (cursor.take("CREATE", "UNIQUE", "INDEX")) {
            index(cursor, line, IndexKind.UNIQUE, tables, problems);
        } else {
            throw problems.at(
                    line,
                    "unsupported statement "
                            + statement.stream().limit(2).map(Token::text).collect(Collectors.joining(" "))
                            + "; only CREATE TABLE and CREATE [UNIQUE] INDEX are read");
        }
    }

    private static void index(
            TokenCursor cursor, int line, IndexKind kind, Map<String, TableBuilder> tables, DdlProblems problems) {
        cursor.take("IF", "NOT", "EXISTS");
        String name = cursor.isWord("ON") ? null : cursor.name("an index");
        cursor.expect("ON");
        String tableName = cursor.tableName();
        DeclaredIndex index = new IndexReader(problems).body(cursor, line, kind, name);
        TableBuilder table = tables.get(tableName);
        if (table == null) {
            // An earlier bad statement may have been the one that declares the table.
            if (problems.count() == 0) {
                problems.add(line, "there is no table " + tableName + " above; declare it before its indexes");
            }
            return;
        }
        table.add(index);
    }
}
