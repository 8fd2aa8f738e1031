package io.sluice.sql;

import io.sluice.grammar.Literals;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats columns of rows as text. */
final class Texts {
    private Texts() {}

    /** Formats some columns of a row for a condition that they equal these texts; null for NULL. */
    static List<@Nullable String> compared(TableDef table, Row row, List<Integer> columns) {
        List<@Nullable String> texts = new ArrayList<>(columns.size());
        for (int column : columns) {
            texts.add(wide(table, row, column));
        }
        return Collections.unmodifiableList(texts);
    }

    /** Formats a column as {@link #of} does, but a FLOAT4 with all digits of its value as a FLOAT8. */
    static @Nullable String wide(TableDef table, Row row, int column) {
        String text = of(table, row, column);
        boolean narrow = table.columns().get(column).type().kind() == TypeKind.FLOAT4;
        return narrow && text != null ? Literals.widened(text) : text;
    }

    static @Nullable String of(TableDef table, Row row, int column) {
        Column declared = table.columns().get(column);
        return row.isNull(column) ? null : DatumFormatter.format(row, column, declared.type());
    }

    /** Formats some columns as {@code name = value} for messages. */
    static String values(TableDef table, Row row, List<Integer> columns) {
        return columns.stream()
                .map(column -> table.columns().get(column).name() + " = " + of(table, row, column))
                .collect(Collectors.joining(", "));
    }
}
