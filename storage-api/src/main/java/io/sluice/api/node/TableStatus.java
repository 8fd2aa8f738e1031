package io.sluice.api.node;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.schema.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that can be read.
 *
 * @param table the table and its ids
 * @param imported what each index adds up to: as the import was published, and as statements have changed it since
 * @param publishedAt when that was
 * @param directory which nodes hold which keys
 * @param published what each index added up to when the import was published
 * @param counted whether {@code imported} has what statements changed on all nodes; false when some were not asked
 * @param incomplete why some keys cannot be read, with what is missing; null when all can
 */
public record TableStatus(
        Table table,
        List<IndexChecksum> imported,
        Instant publishedAt,
        RangeDirectory directory,
        List<IndexChecksum> published,
        boolean counted,
        @Nullable String incomplete) {
    public TableStatus {
        imported = List.copyOf(imported);
        published = List.copyOf(published);
    }

    /** A table as one node knows it. */
    public TableStatus(
            Table table,
            List<IndexChecksum> imported,
            Instant publishedAt,
            RangeDirectory directory,
            List<IndexChecksum> published) {
        this(table, imported, publishedAt, directory, published, true, null);
    }

    /** A table that no statement has changed. */
    public TableStatus(Table table, List<IndexChecksum> imported, Instant publishedAt, RangeDirectory directory) {
        this(table, imported, publishedAt, directory, imported);
    }

    /**
     * The table by what all nodes that hold some of it say: each knows what it added up to as a whole when it was
     * published, and what statements have changed on that node since.
     *
     * @param all whether these are all nodes that hold some of it
     */
    public TableStatus merge(Collection<TableStatus> nodes, boolean all) {
        List<IndexChecksum> sums = new ArrayList<>();
        for (int i = 0; i < published.size(); i++) {
            KvChecksum sum = published.get(i).sum();
            for (TableStatus node : nodes) {
                sum = sum.plus(node.imported.get(i).sum())
                        .minus(node.published.get(i).sum());
            }
            sums.add(new IndexChecksum(published.get(i).index(), sum));
        }
        return new TableStatus(table, sums, publishedAt, directory, published, all, incomplete);
    }

    /** The same table, of which some keys cannot be read. */
    public TableStatus incomplete(String why) {
        return new TableStatus(table, imported, publishedAt, directory, published, counted, why);
    }

    /** Rows, as far as it is known without reading: those imported, and what statements made of them. */
    public long rows() {
        return imported.isEmpty() ? 0 : imported.get(0).sum().count();
    }
}
