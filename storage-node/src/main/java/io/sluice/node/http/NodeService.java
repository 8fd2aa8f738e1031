package io.sluice.node.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.NodeStatus.Load;
import io.sluice.node.StorageNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;

/** The node about itself: health, status, metrics. */
final class NodeService {
    private static final MediaType PROMETHEUS = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final Load NO_LOAD = new Load(0, 0, 0, 0, 0, "");

    private final StorageNode node;
    private final PrometheusMeterRegistry registry;
    private final BooleanSupplier closing;
    /** As of the last scrape: all gauges of one scrape are from the same moment. */
    private volatile Load load = NO_LOAD;

    NodeService(StorageNode node, PrometheusMeterRegistry registry, BooleanSupplier closing) {
        this.node = node;
        this.registry = registry;
        this.closing = closing;
        gauge("sluice.lsm.height", "Most files above each other over any key", Load::height);
        gauge("sluice.lsm.files", "Files of all trees", Load::files);
        gauge("sluice.compaction.owed.bytes", "Bytes that wait to be merged", Load::owedBytes);
        FunctionCounter.builder("sluice.compaction.bytes", node, StorageNode::bytesMerged)
                .description("Written by merges since the node began")
                .register(registry);
        gauge("sluice.staged.bytes", "SSTs that have arrived and are not in a tree", Load::stagedBytes);
        gauge("sluice.disk.free.bytes", "Space left on the store's disk", Load::diskFreeBytes);
    }

    private void gauge(String name, String description, ToDoubleFunction<Load> figure) {
        Gauge.builder(name, this, service -> figure.applyAsDouble(service.load))
                .description(description)
                .register(registry);
    }

    HttpResponse health(ApiRequest request) {
        return closing.getAsBoolean()
                ? Answers.json(HttpStatus.SERVICE_UNAVAILABLE, Map.of("status", "closing"))
                : Answers.ok(Map.of("status", "ready"));
    }

    HttpResponse status(ApiRequest request) {
        NodeStatus status = node.status();
        return Answers.ok(status);
    }

    HttpResponse metrics(ApiRequest request) {
        load = node.status().load();
        return HttpResponse.of(
                HttpStatus.OK, PROMETHEUS, HttpData.wrap(registry.scrape().getBytes(StandardCharsets.UTF_8)));
    }
}
