package io.sluice.importer.job;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ImportTarget;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
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

/** Counters of an import's progress. The import's threads write them; any thread may read them at any time. */
public final class ImportProgress {
    /** Phases of an import, in their order. */
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

    /** A node is the limiter when SSTs take it this many times the nodes' average. */
    private static final double STANDS_OUT = 1.5;

    private volatile Phase phase = Phase.PREPARE;
    private volatile long bytesTotal = -1;
    private volatile long mergeTotalBytes;
    private volatile InputPositions positions = new InputPositions(0);
    private volatile int indexes;
    private volatile long sstsIngested = -1;
    private volatile long puts = -1;
    private final LongAdder rows = new LongAdder();
    private volatile long rowsBefore;
    private volatile long rejectsBefore;
    private final LongAdder mergedBytes = new LongAdder();
    private final LongAdder rejects = new LongAdder();
    private final LongAdder captured = new LongAdder();
    private final LongAdder sstsBuilt = new LongAdder();
    private final LongAdder sstsHandedOver = new LongAdder();
    /** Time that the node deferred SSTs, by the limiter it named. */
    private final Map<String, LongAdder> deferredMillis = new ConcurrentHashMap<>();

    private volatile Supplier<Map<String, Long>> shippingMillis = Map::of;
    private volatile Supplier<@Nullable String> silent = () -> null;
    /** Limiter of the node's last deferral; null when it has taken an SST since. */
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

    /** Bytes of all inputs, or -1 if not known. */
    public long bytesTotal() {
        return bytesTotal;
    }

    /** Stored bytes of all inputs that are done, those of earlier runs included. */
    public long bytesRead() {
        return positions.sum();
    }

    /**
     * Of {@link #bytesRead}, the bytes that earlier runs did. Bytes of a partly done input count when this run reaches
     * it.
     */
    public long bytesBefore() {
        return positions.sumBefore();
    }

    /** Number of inputs that {@link #inputBytesRead} knows: all, or none of more than 100,000. */
    public int inputs() {
        return positions.count();
    }

    /**
     * Stored bytes of one input that are done. Spans of earlier runs count when this run skips them.
     *
     * @param ordinal of the input
     * @return -1 if the input is not known
     */
    public long inputBytesRead(int ordinal) {
        return positions.of(ordinal);
    }

    /** Good rows that were decoded, those of earlier runs included. */
    public long rows() {
        return rowsBefore + rows.sum();
    }

    /** Good and bad records that this run has decoded. It decreases only when the input is read again. */
    public long recordsOfThisRun() {
        return rows.sum() + rejects.sum();
    }

    /** Rejected records, those of earlier runs included. */
    public long rejects() {
        return rejectsBefore + rejects.sum();
    }

    /** Good rows that lost a conflict and were captured. */
    public long captured() {
        return captured.sum();
    }

    /** KVs that were encoded, one per row and index, those of earlier runs included. */
    public long kvs() {
        return rows() * indexes;
    }

    /** SSTs that this run has completed; 0 in mode two-pass, where nodes write them. */
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

    /** KVs that were Put because their SSTs were too small, of all runs; -1 until everything is ingested. */
    public long puts() {
        return puts;
    }

    /** Bytes of KVs that went through the final merge. */
    public long mergedBytes() {
        return mergedBytes.sum();
    }

    public long mergeTotalBytes() {
        return mergeTotalBytes;
    }

    /**
     * The limiter of the import: what the node waited for when it deferred SSTs, or else the workers' slowest stage.
     */
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

    /** The slowest of several nodes if it stands out, or else stage {@code disk}. */
    private String slowestNode() {
        Map<String, Long> millis = shippingMillis.get();
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

    /** Time that all workers together spent in a stage, in nanoseconds. */
    public long stageNanos(Stage stage) {
        return adder(stage).sum();
    }

    public void deferred(ShipAnswer.Deferred answer) {
        deferredBy = answer.limiter();
        deferredMillis
                .computeIfAbsent(answer.limiter(), limiter -> new LongAdder())
                .add(answer.afterMillis());
    }

    public void taken() {
        deferredBy = null;
    }

    /** Sets the node to ask for an unresponsive node, as {@link ImportTarget#unresponsiveNode} describes. */
    public void watch(ImportTarget node) {
        silent = node::unresponsiveNode;
    }

    /** Sets the session whose nodes' shipping times are compared. */
    public void watch(ImportSession session) {
        shippingMillis = session::shippingMillis;
    }

    public void enter(Phase next) {
        phase = next;
    }

    public void expectBytes(long bytes) {
        bytesTotal = bytes;
    }

    public void expectMerge(long bytes) {
        mergeTotalBytes = bytes;
    }

    /**
     * Sets the size of the import.
     *
     * @param inputs number of inputs
     * @param ofIndexes number of indexes, which is the number of KVs per row
     */
    public void expect(int inputs, int ofIndexes) {
        positions = new InputPositions(inputs);
        indexes = ofIndexes;
    }

    /** Counts a decoded split. */
    public void decoded(Split split, long newRows, long newRejects) {
        positions.add(split.file().ordinal(), split.storedBytes(), split.passedBytes());
        rows.add(newRows);
        rejects.add(newRejects);
    }

    /** Counts a captured row. */
    public void capturedRow() {
        captured.increment();
    }

    /** Counts bytes of the only input that are done: SSTs of a staged set, and the rows in them. */
    public void done(long bytes, long newRows) {
        positions.add(0, bytes, 0);
        rows.add(newRows);
    }

    /** Adds the work of earlier attempts; their spans of partly done inputs count when this run skips them. */
    public void resumeFrom(long pastRows, long pastRejects, ReadSpans past, List<InputFile> inputs) {
        rowsBefore = pastRows;
        rejectsBefore = pastRejects;
        positions.skip(inputs, past);
    }

    /** Resets the counters, since the input will be read again. */
    public void restart() {
        positions = new InputPositions(positions.count());
        rowsBefore = 0;
        rejectsBefore = 0;
        rows.reset();
        rejects.reset();
        captured.reset();
        mergedBytes.reset();
        mergeTotalBytes = 0;
    }

    public void merged(long bytes) {
        mergedBytes.add(bytes);
    }

    public void sstBuilt() {
        sstsBuilt.increment();
    }

    public void sstHandedOver() {
        sstsHandedOver.increment();
    }

    public void ingested(IngestReport report) {
        sstsIngested = report.ssts();
        puts = report.puts();
    }

    public void spent(Stage stage, long nanos) {
        adder(stage).add(nanos);
    }

    private LongAdder adder(Stage stage) {
        return Objects.requireNonNull(stageNanos.get(stage));
    }
}
