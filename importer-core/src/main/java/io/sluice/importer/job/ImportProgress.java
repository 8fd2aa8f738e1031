package io.sluice.importer.job;

import io.sluice.api.node.IngestReport;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.ShipAnswer;
import io.sluice.importer.ship.NodeGroup;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
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
    private volatile InputPositions positions = new InputPositions(0);
    private volatile int indexes;
    private volatile long sstsIngested = -1;
    private volatile long puts = -1;
    private final LongAdder rows = new LongAdder();
    private final LongAdder mergedBytes = new LongAdder();
    private final LongAdder rejects = new LongAdder();
    private final LongAdder ssts = new LongAdder();
    private final LongAdder sstsBuilt = new LongAdder();
    private final LongAdder sstsHandedOver = new LongAdder();
    /** How long the node made SSTs wait, by what it named as the limiter. */
    private final Map<String, LongAdder> deferredMillis = new ConcurrentHashMap<>();

    private volatile @Nullable NodeGroup nodes;
    private volatile Supplier<@Nullable String> silent = () -> null;
    /** What the node that put something off last waits for; null when it has taken something since. */
    private volatile @Nullable String deferredBy;

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

    /** Bytes of all inputs that are done, as they are stored; with what was done before this run. */
    public long bytesRead() {
        return positions.sum();
    }

    /**
     * Of {@link #bytesRead}, those that were done before this run. What is left of an input that was begun before is
     * known when that input's turn comes.
     */
    public long bytesBefore() {
        return positions.sumBefore();
    }

    /** How many inputs {@link #inputBytesRead} knows: all, or none when there are more than 100,000. */
    public int inputs() {
        return positions.count();
    }

    /**
     * Bytes of one input that are done, as they are stored; stretches that were done before this run count when they
     * are passed over.
     *
     * @param ordinal of the input
     * @return -1 for an input that is not known
     */
    public long inputBytesRead(int ordinal) {
        return positions.of(ordinal);
    }

    /** Good rows that were decoded; with those of earlier runs. */
    public long rows() {
        return rows.sum();
    }

    /** Bad rows that were met; with those of earlier runs. */
    public long rejects() {
        return rejects.sum();
    }

    /** KVs that were encoded, one per row and index; with those of earlier runs. */
    public long kvs() {
        return rows.sum() * indexes;
    }

    /** SSTs that this run has begun. */
    public long ssts() {
        return ssts.sum();
    }

    /** SSTs that this run has completed. In mode two-pass nodes make them, and there are none here. */
    public long sstsBuilt() {
        return sstsBuilt.sum();
    }

    /** SSTs that nodes have taken in this run. */
    public long sstsHandedOver() {
        return sstsHandedOver.sum();
    }

    /** SSTs of the table that nodes have ingested, of all runs; -1 until everything is ingested. */
    public long sstsIngested() {
        return sstsIngested;
    }

    /** KVs that were Put because their SSTs were too small to be files, of all runs; -1 until all is ingested. */
    public long puts() {
        return puts;
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
        String waiting = silent.get();
        if (waiting == null) {
            waiting = deferredBy;
        }
        if (waiting != null) {
            return waiting;
        }
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
        deferredBy = answer.limiter();
        deferredMillis
                .computeIfAbsent(answer.limiter(), limiter -> new LongAdder())
                .add(answer.afterMillis());
    }

    void taken() {
        deferredBy = null;
    }

    /** Says how to learn which node does not answer just now, in the words of {@link NodeClient#unresponsiveNode}. */
    void watch(NodeClient node) {
        silent = node::unresponsiveNode;
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

    /**
     * Says what is to come.
     *
     * @param inputs how many
     * @param ofIndexes how many KVs a row makes
     */
    void expect(int inputs, int ofIndexes) {
        positions = new InputPositions(inputs);
        indexes = ofIndexes;
    }

    /** A split is done. */
    void decoded(Split split, long newRows, long newRejects) {
        positions.add(split.file().ordinal(), split.storedBytes(), split.passedBytes());
        rows.add(newRows);
        rejects.add(newRejects);
    }

    /** Goes on from what was done before; stretches of inputs are counted when they are passed over. */
    void goOnFrom(PastWork past, List<InputFile> inputs) {
        rows.add(past.rows());
        rejects.add(past.rejects());
        positions.passOver(inputs, past);
    }

    /** The input will be read again, and counted from its beginning. */
    void restart() {
        positions = new InputPositions(positions.count());
        rows.reset();
        rejects.reset();
        mergedBytes.reset();
        mergeTotalBytes = 0;
    }

    void merged(long bytes) {
        mergedBytes.add(bytes);
    }

    void sstBegun() {
        ssts.increment();
    }

    void sstBuilt() {
        sstsBuilt.increment();
    }

    void sstHandedOver() {
        sstsHandedOver.increment();
    }

    void settled(IngestReport report) {
        sstsIngested = report.ssts();
        puts = report.puts();
    }

    void spent(Stage stage, long nanos) {
        adder(stage).add(nanos);
    }

    private LongAdder adder(Stage stage) {
        return Objects.requireNonNull(stageNanos.get(stage));
    }
}
