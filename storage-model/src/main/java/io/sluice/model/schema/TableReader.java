package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Declared.DeclaredColumn;
import io.sluice.model.schema.Declared.DeclaredForeignKey;
import io.sluice.model.schema.Declared.DeclaredIndex;
import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.statement.create.table.ColumnDefinition;
import org.jspecify.annotations.Nullable;

/**
 * Parses one CREATE TABLE statement.
 *
 * <ol>
 *   <li>Split the elements between the parentheses.
 *   <li>Parse indexes and foreign keys; remove references from columns.
 *   <li>Pass a statement with only the columns to JSqlParser.
 *   <li>Add columns and indexes to the builder in order of declaration, which is the order of index ids.
 * </ol>
 */
final class TableReader {
    private final DdlProblems problems;
    private final IndexReader indexReader;
    private final List<Token> tokens;

    /** Whether the token is passed to JSqlParser, by position. */
    private final boolean[] kept;

    TableReader(List<Token> tokens, DdlProblems problems) {
        this.tokens = tokens;
        this.problems = problems;
        indexReader = new IndexReader(problems);
        kept = new boolean[tokens.size()];
    }

    TableBuilder read() {
        TokenCursor cursor = new TokenCursor(tokens, problems);
        int line = cursor.line();
        cursor.expect("CREATE");
        cursor.expect("TABLE");
        cursor.take("IF", "NOT", "EXISTS");
        TableBuilder table = new TableBuilder(cursor.tableName(), line, problems);
        if (!cursor.isSymbol('(')) {
            throw problems.at(
                    cursor.line(), "expected columns in parentheses instead of " + cursor.next() + "; list them all");
        }
        keep(0, cursor.position() + 1);
        int first = cursor.position() + 1;
        List<Element> elements = elements(first, cursor.parenthesized());
        keep(cursor.position() - 1, cursor.position());

        table.interleave(indexReader.interleave(cursor));
        if (!cursor.atEnd()) {
            throw problems.at(cursor.line(), "unexpected " + cursor.next() + " after the table; it is not supported");
        }

        List<Part> parts = new ArrayList<>();
        int columns = 0;
        for (Element element : elements) {
            Part part = part(element);
            if (part instanceof ColumnPart) {
                // The comma before a column is kept from the second column on.
                keep(columns == 0 ? element.first() : element.first() - 1, element.first());
                columns++;
            }
            parts.add(part);
        }
        if (columns == 0) {
            throw problems.at(line, "table " + table.name() + " has no columns; declare at least one");
        }
        List<ColumnDefinition> definitions = SqlGrammar.columns(keptTokens(), problems);
        if (definitions.size() != columns) {
            throw problems.at(
                    line,
                    "table " + table.name() + " has something that is no column, index or foreign key;"
                            + " write indexes as PRIMARY KEY (...), UNIQUE (...) or INDEX (...)");
        }
        int next = 0;
        for (Part part : parts) {
            if (part instanceof ColumnPart column) {
                column(table, column, definitions.get(next++));
            } else if (part instanceof IndexPart index) {
                table.add(index.index());
            } else if (part instanceof ForeignKeyPart foreignKey) {
                table.add(foreignKey.foreignKey());
            }
        }
        return table;
    }

    /** The tokens of one element, and their position in the statement. */
    private record Element(int first, List<Token> tokens) {
        int line() {
            return tokens.get(0).line();
        }
    }

    private sealed interface Part permits ColumnPart, IndexPart, ForeignKeyPart, BadPart {}

    private record ColumnPart(
            int line,
            @Nullable DeclaredForeignKey foreignKey,
            @Nullable String defaultText) implements Part {}

    private record IndexPart(DeclaredIndex index) implements Part {}

    private record ForeignKeyPart(DeclaredForeignKey foreignKey) implements Part {}

    /** An element whose violation has been reported. */
    private record BadPart() implements Part {}

    private List<Element> elements(int first, List<Token> list) {
        List<Element> elements = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= list.size(); i++) {
            if (i == list.size() || (depth == 0 && list.get(i).isSymbol(','))) {
                if (i == start) {
                    throw problems.at(
                            tokens.get(first + i).line(),
                            "unexpected " + tokens.get(first + i).text() + "; a column is missing before it");
                }
                elements.add(new Element(first + start, list.subList(start, i)));
                start = i + 1;
            } else if (list.get(i).isSymbol('(')) {
                depth++;
            } else if (list.get(i).isSymbol(')')) {
                depth--;
            }
        }
        return elements;
    }

    /** Parses an element. Reports and skips a bad one, so that parsing continues with the next. */
    private Part part(Element element) {
        try {
            TokenCursor cursor = new TokenCursor(element.tokens(), problems);
            String constraint = cursor.take("CONSTRAINT") ? cursor.name("a constraint") : null;
            if (IndexReader.isIndex(cursor)) {
                return new IndexPart(indexReader.ofTable(cursor, constraint));
            }
            if (cursor.take("FOREIGN", "KEY")) {
                DeclaredForeignKey key = indexReader.references(cursor, cursor.nameList());
                if (!cursor.atEnd()) {
                    throw problems.at(cursor.line(), "unexpected " + cursor.next() + " after a foreign key");
                }
                return new ForeignKeyPart(key);
            }
            if (cursor.isWord("CHECK")) {
                throw problems.at(
                        cursor.line(), "CHECK is not supported, because an import would not enforce it; leave it out");
            }
            if (cursor.isWord("FAMILY")) {
                throw problems.at(cursor.line(), "column families (FAMILY) are not supported; leave them out");
            }
            if (constraint != null || cursor.isWord("LIKE") || cursor.isWord("EXCLUDE")) {
                throw problems.at(cursor.line(), "unexpected " + cursor.next() + "; it is not supported in a table");
            }
            return columnPart(element);
        } catch (BadInputException e) {
            problems.add(e);
            return new BadPart();
        }
    }

    /** Selects the tokens of a column for JSqlParser, without references, default and refused clauses. */
    private ColumnPart columnPart(Element element) {
        List<Token> list = element.tokens();
        DeclaredForeignKey foreignKey = null;
        String defaultText = null;
        int at = 0;
        while (at < list.size()) {
            Token token = list.get(at);
            boolean option = at > 1; // after name and type
            if (option && token.isWord("REFERENCES")) {
                TokenCursor tail = new TokenCursor(list.subList(at, list.size()), problems);
                foreignKey = indexReader.references(
                        tail, List.of(Token.identifier(list.get(0).text())));
                at += tail.position();
            } else if (option && token.isWord("DEFAULT")) {
                DefaultReader.Constant constant = DefaultReader.read(list.subList(at, list.size()), problems);
                if (constant == null) {
                    break;
                }
                defaultText = constant.text();
                at += constant.tokens();
            } else if (option && refused(token)) {
                break;
            } else {
                keep(element.first() + at, element.first() + at + 1);
                at++;
            }
        }
        return new ColumnPart(element.line(), foreignKey, defaultText);
    }

    private boolean refused(Token token) {
        if (token.isWord("CHECK")) {
            problems.add(token.line(), "CHECK is not supported, because an import would not enforce it; leave it out");
            return true;
        }
        if (token.isWord("FAMILY")) {
            problems.add(token.line(), "column families (FAMILY) are not supported; leave them out");
            return true;
        }
        return false;
    }

    private void keep(int from, int to) {
        for (int i = from; i < to; i++) {
            kept[i] = true;
        }
    }

    private List<Token> keptTokens() {
        List<Token> list = new ArrayList<>();
        for (int i = 0; i < kept.length; i++) {
            if (kept[i]) {
                list.add(tokens.get(i));
            }
        }
        return list;
    }

    private void column(TableBuilder table, ColumnPart part, ColumnDefinition definition) {
        String name = Token.identifier(definition.getColumnName());
        int line = part.line();
        ColumnType type;
        try {
            type = SqlTypes.of(definition.getColDataType());
        } catch (SqlTypes.BadType e) {
            problems.add(line, "column " + name + ": " + e.getMessage());
            type = ColumnType.of(TypeKind.STRING);
        }
        ColumnOptions options = ColumnOptions.of(definition.getColumnSpecs(), name, line, problems);
        table.add(new DeclaredColumn(line, name, type, options.nullability(), part.defaultText()));
        options.indexes().forEach(table::add);
        if (part.foreignKey() != null) {
            table.add(part.foreignKey());
        }
    }
}
