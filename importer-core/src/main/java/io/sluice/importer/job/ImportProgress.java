package io.sluice.importer.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** How far an import is. Written by its workers, read by anybody at any time. */
public final class ImportProgress {
    /** What an import is doing, in the order in which it does it. */
    public enum Phase {
        PREPARE,
        IMPORT,
        MERGE,
        INGEST,
        VERIFY,
        PUBLISH,
        DONE
    }

    private volatile Phase phase = Phase.PREPARE;
    private volatile long bytesTotal = -1;
    private volatile long mergeTotalBytes;
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder rows = new LongAdder();
    private final LongAdder mergedBytes = new LongAdder();
    private final LongAdder ssts = new LongAdder();
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

    /** The stage that has taken most of the workers' time. */
    public Stage limiter() {
        return Collections.max(Arrays.asList(Stage.values()), Comparator.comparingLong(this::stageNanos));
    }

    /** Time of all workers together that went into a stage, in nanoseconds. */
    public long stageNanos(Stage stage) {
        return adder(stage).sum();
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
