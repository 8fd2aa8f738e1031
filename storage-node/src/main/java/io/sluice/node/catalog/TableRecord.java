package io.sluice.node.catalog;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.schema.Table;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A published table.
 *
 * @param table the table and its ids
 * @param family the column family its KVs are in; its root's when it is interleaved
 * @param imported what each index adds up to: as it was published, and as statements have changed it since
 * @param publishedAtMillis when that was, milliseconds since 1970-01-01 UTC
 * @param directory which nodes hold which keys
 * @param published what each index added up to when it was published; null: the same as now
 * @param claim of the import that made it, for as long as that may be asked about; null later, or when it had none
 */
public record TableRecord(
        Table table,
        String family,
        List<IndexChecksum> imported,
        long publishedAtMillis,
        RangeDirectory directory,
        @Nullable List<IndexChecksum> published,
        @Nullable FencingToken claim) {
    public TableRecord {
        imported = List.copyOf(imported);
        // Stores of an earlier version have tables without.
        directory = directory == null ? RangeDirectory.SINGLE_NODE : directory;
    }

    /** The same as a client sees it. */
    public TableStatus status() {
        return new TableStatus(
                table, imported, Instant.ofEpochMilli(publishedAtMillis), directory, orNow(published, imported));
    }

    /** The same after statements. */
    TableRecord holding(List<IndexChecksum> sums) {
        return new TableRecord(table, family, sums, publishedAtMillis, directory, orNow(published, imported), claim);
    }

    private static List<IndexChecksum> orNow(@Nullable List<IndexChecksum> published, List<IndexChecksum> imported) {
        return published == null ? imported : published;
    }

    TableRecord unclaimed() {
        return new TableRecord(table, family, imported, publishedAtMillis, directory, published, null);
    }
}
