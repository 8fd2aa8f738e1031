package io.sluice.api.node;

import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses the text datums that a user gave for the columns of an index, into rows and keys. */
public final class KeyTexts {
    private KeyTexts() {}

    /**
     * Parses datums of an index's first columns.
     *
     * @param texts one per column, null for NULL; no more than the index has columns
     * @return a row with those columns set
     * @throws BadInputException if there are too many texts, or one is not a valid datum of its column
     */
    public static Row prefix(Table table, Index index, List<@Nullable String> texts) {
        if (texts.size() > index.def().columns().size()) {
            throw new BadInputException(where(table, index) + " has the columns " + columns(table, index) + ", but "
                    + texts.size() + " values were given");
        }
        Row row = new Row(table.def().columns().size());
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            IndexColumn part = index.def().columns().get(i);
            if (text != null) {
                parse(table, index, part, text, row);
            } else if (!table.def().columns().get(part.column()).nullable()) {
                throw new BadInputException(where(table, index) + ": column "
                        + table.def().columns().get(part.column()).name() + " is never NULL");
            }
        }
        return row;
    }

    /**
     * Parses datums of all columns of the primary key.
     *
     * @throws BadInputException if the number of texts differs, or one is NULL or not a valid datum of its column
     */
    public static Row primaryKey(Table table, List<? extends @Nullable String> texts) {
        Index primary = table.primary();
        if (texts.size() != primary.def().columns().size() || texts.stream().anyMatch(text -> text == null)) {
            throw new BadInputException(where(table, primary) + " has the columns " + columns(table, primary)
                    + "; give one value for each");
        }
        return prefix(table, primary, List.copyOf(texts));
    }

    /**
     * Returns the key span between two bounds of an index.
     *
     * @param keys key encoder of the table
     * @param from datums of the index's first columns, inclusive; empty: from its first key
     * @param to the same, exclusive; empty: to its last key
     * @throws BadInputException as {@link #prefix}
     */
    public static KeySpan span(
            Table table, IndexKeys keys, int ordinal, List<@Nullable String> from, List<@Nullable String> to) {
        KeySpan whole = keys.span(ordinal);
        byte[] start = from.isEmpty() ? whole.start() : bound(table, keys, ordinal, from);
        byte[] end = to.isEmpty() ? whole.end() : bound(table, keys, ordinal, to);
        return new KeySpan(start, end);
    }

    private static byte[] bound(Table table, IndexKeys keys, int ordinal, List<@Nullable String> texts) {
        Row row = prefix(table, table.indexes().get(ordinal), texts);
        return keys.prefix(ordinal, row, texts.size());
    }

    private static void parse(Table table, Index index, IndexColumn part, String text, Row row) {
        Column column = table.def().columns().get(part.column());
        DatumProblem problem = DatumParser.of(column.type()).parse(text, row, part.column());
        if (problem != null) {
            throw new BadInputException(where(table, index) + ", column " + column.name() + " "
                    + column.type().sql() + ": '" + text + "': " + problem.message());
        }
    }

    private static String where(Table table, Index index) {
        return "table " + table.name() + ", index " + index.def().name();
    }

    private static String columns(Table table, Index index) {
        return index.def().columns().stream()
                .map(part -> table.def().columns().get(part.column()).name())
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
