package io.sluice.node.read;

import io.sluice.model.kv.EntryKeys;
import io.sluice.model.row.Row;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.Table;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats rows as texts. */
final class RowTexts {
    private RowTexts() {}

    static List<@Nullable String> of(Table table, Row row) {
        int columns = table.def().columns().size();
        List<@Nullable String> texts = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            texts.add(text(table, row, i));
        }
        return Collections.unmodifiableList(texts);
    }

    /** The texts of the primary key's columns, in key order. */
    static List<@Nullable String> primaryKey(Table table, Row row) {
        return Collections.unmodifiableList(key(table, row));
    }

    /** The texts of the primary key's columns, and the key of an entry, as hex digits without the family's suffix. */
    static List<@Nullable String> primaryKey(Table table, Row row, byte[] entryKey) {
        List<@Nullable String> texts = key(table, row);
        texts.add(HexFormat.of().formatHex(entryKey, 0, EntryKeys.sharedBytes(entryKey, 0, entryKey.length)));
        return Collections.unmodifiableList(texts);
    }

    private static List<@Nullable String> key(Table table, Row row) {
        List<IndexColumn> key = table.primary().def().columns();
        List<@Nullable String> texts = new ArrayList<>(key.size() + 1);
        for (IndexColumn part : key) {
            texts.add(text(table, row, part.column()));
        }
        return texts;
    }

    private static @Nullable String text(Table table, Row row, int column) {
        return row.isNull(column)
                ? null
                : DatumFormatter.format(
                        row, column, table.def().columns().get(column).type());
    }
}
