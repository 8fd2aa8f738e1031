package io.sluice.api.node;

import io.sluice.api.schema.Table;
import java.time.Instant;
import java.util.List;

/**
 * A table that can be read.
 *
 * @param table the table and its ids
 * @param imported what each index adds up to: as the import was published, and as statements have changed it since
 * @param publishedAt when that was
 * @param directory which nodes hold which keys
 */
public record TableStatus(Table table, List<IndexSum> imported, Instant publishedAt, RangeDirectory directory) {
    public TableStatus {
        imported = List.copyOf(imported);
    }

    /** Rows, as far as it is known without reading: those imported, and what statements made of them. */
    public long rows() {
        return imported.isEmpty() ? 0 : imported.get(0).sum().count();
    }
}
