package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a readable table.
 *
 * @param table the table with its ids
 * @param imported current checksum of each index: as published, plus the changes by statements since
 * @param publishedAt time of publication
 * @param directory key ranges and their nodes
 * @param published checksum of each index when the import was published
 * @param counted whether {@code imported} includes the statements' changes on all nodes; false if some nodes were not
 *     reached
 * @param incomplete which keys are unreadable and why; null if all keys are readable
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

    /** The status of a table according to one node. */
    public TableStatus(
            Table table,
            List<IndexChecksum> imported,
            Instant publishedAt,
            RangeDirectory directory,
            List<IndexChecksum> published) {
        this(table, imported, publishedAt, directory, published, true, null);
    }

    /**
     * Merges the statuses from the nodes that hold ranges of the table. Each node knows the checksum of the whole table
     * at publication, and the changes by statements on that node since.
     *
     * @param all whether {@code nodes} has all nodes that hold ranges of the table
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

    /** Returns a copy that marks some keys as unreadable. */
    public TableStatus incomplete(String why) {
        return new TableStatus(table, imported, publishedAt, directory, published, counted, why);
    }

    /** Number of rows, known without reading: the imported rows, plus the changes by statements. */
    public long rows() {
        return imported.isEmpty() ? 0 : imported.get(0).sum().count();
    }
}
