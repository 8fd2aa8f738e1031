package io.sluice.node.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.node.StorageNode;
import io.sluice.node.cache.CacheStatistics;
import java.util.function.ToDoubleFunction;

/** What the row cache does, counted; zeros for a node that has none. */
final class RowCacheMetrics {
    private RowCacheMetrics() {}

    static void add(MeterRegistry registry, StorageNode node) {
        lookups(registry, node, "hit", CacheStatistics::hits);
        lookups(registry, node, "miss", CacheStatistics::misses);
        counter(registry, node, "fills", "Rows that were read and kept", CacheStatistics::fills);
        counter(registry, node, "refused", "Rows that were read and not kept", CacheStatistics::refused);
        counter(registry, node, "evicted", "Rows that made room for others", CacheStatistics::evicted);
        counter(registry, node, "invalidated", "Rows that were updated", CacheStatistics::invalidated);
        gauge(registry, node, "bytes", "Memory that rows take", CacheStatistics::bytes);
        gauge(registry, node, "rows", "Rows in the cache", CacheStatistics::entries);
        gauge(registry, node, "old.rows", "Updated rows that are kept for snapshots", CacheStatistics::ended);
    }

    private static void lookups(
            MeterRegistry registry, StorageNode node, String result, ToDoubleFunction<CacheStatistics> figure) {
        FunctionCounter.builder("sluice.row.cache.lookups", node, of -> figure.applyAsDouble(of.rowCache()))
                .tag("result", result)
                .description("Rows that were looked for")
                .register(registry);
    }

    private static void counter(
            MeterRegistry registry,
            StorageNode node,
            String name,
            String description,
            ToDoubleFunction<CacheStatistics> figure) {
        FunctionCounter.builder("sluice.row.cache." + name, node, of -> figure.applyAsDouble(of.rowCache()))
                .description(description)
                .register(registry);
    }

    private static void gauge(
            MeterRegistry registry,
            StorageNode node,
            String name,
            String description,
            ToDoubleFunction<CacheStatistics> figure) {
        Gauge.builder("sluice.row.cache." + name, node, of -> figure.applyAsDouble(of.rowCache()))
                .description(description)
                .register(registry);
    }
}
