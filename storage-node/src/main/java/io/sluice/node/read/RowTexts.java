package io.sluice.node.read;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.Table;
import io.sluice.api.text.DatumFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row as the texts of all its columns. */
final class RowTexts {
    private RowTexts() {}

    static List<@Nullable String> of(Table table, Row row) {
        List<Column> columns = table.def().columns();
        List<@Nullable String> texts = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            texts.add(
                    row.isNull(i)
                            ? null
                            : DatumFormatter.format(row, i, columns.get(i).type()));
        }
        return Collections.unmodifiableList(texts);
    }
}
