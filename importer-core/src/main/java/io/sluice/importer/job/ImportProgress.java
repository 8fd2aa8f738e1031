package io.sluice.importer.job;

import io.sluice.api.node.ShipAnswer;
import io.sluice.importer.ship.NodeGroup;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** How far an import is. Written by its workers, read by anybody at any time. */
public final class ImportProgress {
    /** What an import is doing, in the order in which it does it. */
    public enum Phase {
        PREPARE,
        SAMPLE,
        IMPORT,
        MERGE,
        INGEST,
        VERIFY,
        PUBLISH,
        DONE
    }

    /** A node is named when it takes this many times what nodes take on average. */
    private static final double STANDS_OUT = 1.5;

    private volatile Phase phase = Phase.PREPARE;
    private volatile long bytesTotal = -1;
    private volatile long mergeTotalBytes;
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder mergedBytes = new LongAdder();
    private final LongAdder ssts = new LongAdder();
    /** How long the node made SSTs wait, by what it named as the limiter. */
    private final Map<String, LongAdder> deferredMillis = new ConcurrentHashMap<>();

    private volatile @Nullable NodeGroup nodes;
    private final Map<Stage, LongAdder> stageNanos = new EnumMap<>(Stage.class);

    public ImportProgress() {
        for (Stage stage : Stage.values()) {
            stageNanos.put(stage, new LongAdder());
        }
    }

    public Phase phase() {
        return phase;
    }

    /** Bytes of all inputs, or -1 when that is not known. */
    public long bytesTotal() {
        return bytesTotal;
    }

    public long bytesRead() {
        return bytesRead.sum();
    }

    public long rows() {
        return rows.sum();
    }

    public long ssts() {
        return ssts.sum();
    }

    /** Bytes of KVs that went through the final merge, and how many will. */
    public long mergedBytes() {
        return mergedBytes.sum();
    }

    public long mergeTotalBytes() {
        return mergeTotalBytes;
    }

    /** What the node waited for when it deferred SSTs, or else the stage that took most of the workers' time. */
    public String limiter() {
        Optional<Map.Entry<String, LongAdder>> node = deferredMillis.entrySet().stream()
                .max(Comparator.comparingLong(entry -> entry.getValue().sum()));
        long workers = stageNanos(slowestStage()) / 1_000_000;
        return node.filter(entry -> entry.getValue().sum() > workers)
                .map(Map.Entry::getKey)
                .orElseGet(() -> slowestStage() == Stage.DISK
                        ? slowestNode()
                        : slowestStage().label());
    }

    /** The node that SSTs took longest to, when it is one of several that stands out. */
    private String slowestNode() {
        Map<String, Long> millis = nodes == null ? Map.of() : nodes.shippingMillis();
        long all = millis.values().stream().mapToLong(Long::longValue).sum();
        return millis.entrySet().stream()
                .filter(node -> millis.size() > 1 && node.getValue() * millis.size() > all * STANDS_OUT)
                .max(Map.Entry.comparingByValue())
                .map(node -> "node " + node.getKey() + ": upload")
                .orElse(Stage.DISK.label());
    }

    private Stage slowestStage() {
        return Collections.max(Arrays.asList(Stage.values()), Comparator.comparingLong(this::stageNanos));
    }

    /** Time of all workers together that went into a stage, in nanoseconds. */
    public long stageNanos(Stage stage) {
        return adder(stage).sum();
    }

    void deferred(ShipAnswer.Deferred answer) {
        deferredMillis
                .computeIfAbsent(answer.limiter(), limiter -> new LongAdder())
                .add(answer.afterMillis());
    }

    /** Says that there are several nodes, to be told apart. */
    void watch(NodeGroup group) {
        nodes = group;
    }

    void enter(Phase next) {
        phase = next;
    }

    void expectBytes(long bytes) {
        bytesTotal = bytes;
    }

    void expectMerge(long bytes) {
        mergeTotalBytes = bytes;
    }

    void decoded(long bytes, long newRows) {
        bytesRead.add(bytes);
        rows.add(newRows);
    }

    /** Goes on from rows that were done before; their bytes are counted when they are passed over. */
    void goOnFrom(long rowsBefore) {
        rows.add(rowsBefore);
    }

    /** The input will be read again, and counted from its beginning. */
    void restart() {
        bytesRead.reset();
        rows.reset();
        mergedBytes.reset();
        mergeTotalBytes = 0;
    }

    void merged(long bytes) {
        mergedBytes.add(bytes);
    }

    void sstBegun() {
        ssts.increment();
    }

    void spent(Stage stage, long nanos) {
        adder(stage).add(nanos);
    }

    private LongAdder adder(Stage stage) {
        return Objects.requireNonNull(stageNanos.get(stage));
    }
}
