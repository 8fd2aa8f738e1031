package io.sluice.node.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.api.wire.SstState;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;

/** Metrics of received SSTs and batches. */
final class SstMetrics {
    /** Allowed label values, to limit the number of time series. */
    private static final Set<String> LIMITERS =
            Set.of("sublevels", "files", "compaction", "staging", "disk", "stall", "size", "uploads", "range");

    private final MeterRegistry registry;

    /** @param uploads its acquired permits are the uploads in flight */
    SstMetrics(MeterRegistry registry, Semaphore uploads, int maxUploads) {
        this.registry = registry;
        registry.gauge("sluice.uploads.in.flight", uploads, free -> maxUploads - free.availablePermits());
        // Registered at once, so that rates begin at zero.
        registry.counter("sluice.received.bytes");
        registry.counter("sluice.ssts.taken", "state", "staged");
        registry.counter("sluice.ssts.taken", "state", "ingested");
        registry.counter("sluice.ssts.fetched");
        registry.counter("sluice.ssts.repeated");
        registry.counter("sluice.ssts.damaged");
        registry.counter("sluice.ssts.moved");
    }

    void received(long bytes) {
        registry.counter("sluice.received.bytes").increment((double) bytes);
    }

    void taken(SstState.State state) {
        registry.counter("sluice.ssts.taken", "state", state.name().toLowerCase(Locale.ROOT))
                .increment();
    }

    void fetched() {
        registry.counter("sluice.ssts.fetched").increment();
    }

    void repeated() {
        registry.counter("sluice.ssts.repeated").increment();
    }

    void damaged() {
        registry.counter("sluice.ssts.damaged").increment();
    }

    void moved() {
        registry.counter("sluice.ssts.moved").increment();
    }

    void deferred(String limiter) {
        registry.counter("sluice.ssts.deferred", "limiter", label(limiter)).increment();
    }

    void refused(String limiter) {
        registry.counter("sluice.ssts.refused", "limiter", label(limiter)).increment();
    }

    private static String label(String limiter) {
        return LIMITERS.contains(limiter) ? limiter : "other";
    }
}
