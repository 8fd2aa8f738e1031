package io.sluice.client.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableDigest;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table back from all replicas: the first replicas of all ranges are the whole table, and so are the second
 * ones.
 */
final class ReadBack {
    private final NodePool pool;
    private final Table table;
    private final RangeDirectory directory;
    private final BiFunction<String, List<KeySpan>, @Nullable TableDigest> node;

    /**
     * Creates a reading.
     *
     * @param node reads spans back on the node with an id; null if the node was left out
     */
    ReadBack(
            NodePool pool,
            Table table,
            RangeDirectory directory,
            BiFunction<String, List<KeySpan>, @Nullable TableDigest> node) {
        this.pool = pool;
        this.table = table;
        this.directory = directory;
        this.node = node;
    }

    /** The digest of the KVs in spans, which must be equal on all replicas; null if a node was left out meanwhile. */
    @Nullable
    TableDigest run(List<KeySpan> wanted) {
        TableDigest first = layer(0, wanted);
        int replicas = directory.ranges().stream()
                .mapToInt(range -> range.nodes().size())
                .max()
                .orElse(0);
        for (int layer = 1; layer < replicas; layer++) {
            TableDigest other = layer(layer, wanted);
            if (first == null || other == null) {
                return null;
            }
            if (!other.equals(first)) {
                throw new OperationFailedException("verification failed\ntable " + table.name()
                        + ": replicas differ: the digest of the first replicas is " + first.digest()
                        + ", that of replicas "
                        + (layer + 1) + " is " + other.digest()
                        + "\nThis is a defect of Sluice or of the machine; please report it.");
            }
        }
        return first;
    }

    /** One replica of each range: that of the layer, or the last one of a range that has fewer. */
    private @Nullable TableDigest layer(int layer, List<KeySpan> wanted) {
        Map<String, List<KeySpan>> spans = new LinkedHashMap<>();
        for (int range = 0; range < directory.ranges().size(); range++) {
            List<String> holders = directory.ranges().get(range).nodes();
            String holder = holders.get(Math.min(layer, holders.size() - 1));
            spans.computeIfAbsent(holder, id -> new ArrayList<>())
                    .addAll(directory.span(range).common(wanted));
        }
        List<TableDigest> parts = pool
                .all(
                        List.copyOf(spans.entrySet()),
                        each -> Optional.ofNullable(node.apply(each.getKey(), each.getValue())))
                .stream()
                .flatMap(Optional::stream)
                .toList();
        return parts.size() < spans.size() ? null : sum(table, parts);
    }

    /** Adds the digests of parts of a table that do not overlap. */
    static TableDigest sum(Table table, List<TableDigest> parts) {
        List<IndexChecksum> sums = new ArrayList<>();
        for (int i = 0; i < table.indexes().size(); i++) {
            int ordinal = i;
            sums.add(new IndexChecksum(
                    table.indexes().get(i).def().name(),
                    parts.stream()
                            .map(part -> part.indexes().get(ordinal).sum())
                            .reduce(KvChecksum.EMPTY, KvChecksum::plus)));
        }
        return new TableDigest(table.name(), sums);
    }
}
