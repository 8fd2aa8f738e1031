package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.NodeStatus.Load;
import io.sluice.engine.cache.CacheStatistics;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.node.StorageNode;
import java.util.function.ToDoubleFunction;

/** Serves the node's status and metrics. */
final class NodeService {
    private static final Load NO_LOAD = new Load(0, 0, 0, 0, 0, "");

    private final StorageNode node;
    private final MeterRegistry registry;
    /** Load at the last scrape, so that all gauges of a scrape are consistent. */
    private volatile Load load = NO_LOAD;

    NodeService(StorageNode node, MeterRegistry registry) {
        this.node = node;
        this.registry = registry;
        Gauge.builder("sluice.build.info", () -> 1)
                .description("Always 1; its labels are the versions of program and JVM")
                .tag("version", node.status().version())
                .tag("java", Runtime.version().toString())
                .register(registry);
        gauge("sluice.lsm.height", "Largest number of files that overlap at one key", Load::height);
        gauge("sluice.lsm.files", "Files of all trees", Load::files);
        gauge("sluice.compaction.owed.bytes", "Compaction debt in bytes", Load::owedBytes);
        FunctionCounter.builder("sluice.compaction.bytes", node, StorageNode::bytesMerged)
                .description("Bytes written by compactions since the node started")
                .register(registry);
        addRowCache();
        FunctionCounter.builder("sluice.tombstones.converted", node, each -> each.store()
                        .tombstoneConversions()
                        .made())
                .description("Range tombstones that scans wrote over runs of deleted keys")
                .register(registry);
        FunctionCounter.builder("sluice.tombstones.abandoned", node, each -> each.store()
                        .tombstoneConversions()
                        .abandoned())
                .description("Range tombstones that scans did not write because of concurrent changes")
                .register(registry);
        gauge("sluice.staged.bytes", "Bytes of SSTs in staging, not yet in a tree", Load::stagedBytes);
        gauge("sluice.disk.free.bytes", "Free space on the store's disk", Load::diskFreeBytes);
    }

    private void gauge(String name, String description, ToDoubleFunction<Load> figure) {
        Gauge.builder(name, this, service -> figure.applyAsDouble(service.load))
                .description(description)
                .register(registry);
    }

    /** Metrics of the row cache; zeros for a node without one. */
    private void addRowCache() {
        lookups("hit", CacheStatistics::hits);
        lookups("miss", CacheStatistics::misses);
        counter("fills", "Rows added to the cache after a read", CacheStatistics::fills);
        counter("refused", "Rows that a read did not add to the cache", CacheStatistics::refused);
        counter("evicted", "Rows evicted to make room", CacheStatistics::evicted);
        counter("invalidated", "Cached rows invalidated by updates", CacheStatistics::invalidated);
        rowCacheGauge(
                "bytes", "Memory of the cached rows", cache -> cache.content().bytes());
        rowCacheGauge("rows", "Rows in the cache", cache -> cache.content().entries());
        rowCacheGauge("old.rows", "Outdated rows kept for open snapshots", cache -> cache.content()
                .ended());
    }

    private void lookups(String result, ToDoubleFunction<CacheStatistics> figure) {
        FunctionCounter.builder(
                        "sluice.row.cache.lookups",
                        node,
                        of -> figure.applyAsDouble(of.store().rowCache()))
                .tag("result", result)
                .description("Lookups of rows")
                .register(registry);
    }

    private void counter(String name, String description, ToDoubleFunction<CacheStatistics> figure) {
        FunctionCounter.builder(
                        "sluice.row.cache." + name,
                        node,
                        of -> figure.applyAsDouble(of.store().rowCache()))
                .description(description)
                .register(registry);
    }

    private void rowCacheGauge(String name, String description, ToDoubleFunction<CacheStatistics> figure) {
        Gauge.builder(
                        "sluice.row.cache." + name,
                        node,
                        of -> figure.applyAsDouble(of.store().rowCache()))
                .description(description)
                .register(registry);
    }

    HttpResponse status(ApiRequest request) {
        NodeStatus status = node.status();
        return Answers.ok(status);
    }

    /** Updates the gauges for a scrape. */
    void measure() {
        load = node.status().load();
    }
}
