package io.sluice.node.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.engine.cache.CacheStatistics;
import io.sluice.node.StorageNode;
import java.util.function.ToDoubleFunction;

/** Metrics of the row cache; zeros for a node without one. */
final class RowCacheMetrics {
    private RowCacheMetrics() {}

    static void add(MeterRegistry registry, StorageNode node) {
        lookups(registry, node, "hit", CacheStatistics::hits);
        lookups(registry, node, "miss", CacheStatistics::misses);
        counter(registry, node, "fills", "Rows added to the cache after a read", CacheStatistics::fills);
        counter(registry, node, "refused", "Rows that a read did not add to the cache", CacheStatistics::refused);
        counter(registry, node, "evicted", "Rows evicted to make room", CacheStatistics::evicted);
        counter(registry, node, "invalidated", "Cached rows invalidated by updates", CacheStatistics::invalidated);
        gauge(registry, node, "bytes", "Memory of the cached rows", cache -> cache.content()
                .bytes());
        gauge(registry, node, "rows", "Rows in the cache", cache -> cache.content()
                .entries());
        gauge(registry, node, "old.rows", "Outdated rows kept for open snapshots", cache -> cache.content()
                .ended());
    }

    private static void lookups(
            MeterRegistry registry, StorageNode node, String result, ToDoubleFunction<CacheStatistics> figure) {
        FunctionCounter.builder("sluice.row.cache.lookups", node, of -> figure.applyAsDouble(of.rowCache()))
                .tag("result", result)
                .description("Lookups of rows")
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
