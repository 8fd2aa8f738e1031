package io.sluice.engine.compact;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.MergeResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The LSM tree of one column family at the last refresh of its metadata, plus SSTs admitted since. A refresh of 2,000
 * files takes about 6 ms. So the tree is refreshed only after a change, and for at most 1/20 of the time. Usable by
 * several threads.
 */
public final class LiveTree {
    /**
     * An admitted SST that has not arrived in its tree. It counts there from {@link #expect} on, so that later
     * admission requests see it before it arrives.
     */
    public static final class Arrival {
        private final KeyBounds bounds;
        /** Guarded by the tree. */
        private boolean arrived;

        private Arrival(KeyBounds bounds) {
            this.bounds = bounds;
        }
    }

    /** The number of the last level of a table's column family. */
    static final int BOTTOM_LEVEL = 63;

    /** The pause after a refresh, in multiples of its duration. */
    private static final long PAUSE_PER_REFRESH = 20;

    private final Family family;
    private final TreeLog log;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<Long, CompactionPick> merging = new HashMap<>();
    private SublevelMap map = SublevelMap.of(List.of(), BOTTOM_LEVEL);
    /** Names of the files that the log knows; null before the first log entry. */
    private @Nullable Set<String> logged;

    /** Whether the tree has changed since the map was built. */
    private boolean stale = true;
    /** Whether the tree has changed since the planner's last refresh. Refreshes by other threads do not reset it. */
    private boolean unplanned = true;

    private long nextRefreshNanos = System.nanoTime();
    /** The same for the planner alone: others that refresh all the time must not put off its next pick. */
    private long nextPlanNanos = nextRefreshNanos;

    private int maxHeight;
    private int level0Files;
    private long owedBytes;
    private long bytesMerged;
    private String trouble = "";
    /** Whether the table takes Puts, so that new files in level 0 come from memtable flushes. */
    private boolean flushes;
    /** Whether new files come from a flush of the small-SST buffer. */
    private boolean flushing;

    LiveTree(Family family, TreeLog log) {
        this.family = family;
        this.log = log;
    }

    /** The column family. */
    public Family family() {
        return family;
    }

    /** Counts an admitted SST until {@link #arrived} or {@link #withdraw}. */
    public synchronized Arrival expect(KeyBounds bounds) {
        Arrival arrival = new Arrival(bounds);
        arrivals.add(arrival);
        return arrival;
    }

    /** Ends an arrival: the SST is in the tree. */
    public synchronized void arrived(Arrival arrival) {
        arrival.arrived = true;
        changed();
    }

    /** Ends an arrival without an SST. */
    public synchronized void withdraw(Arrival arrival) {
        arrivals.remove(arrival);
    }

    /**
     * Ingests files that were flushed from the small-SST buffer.
     *
     * @param ingest brings them into the tree
     */
    public synchronized void ingestFlushed(Runnable ingest) {
        refresh();
        flushing = true;
        try {
            ingest.run();
            refresh();
        } finally {
            flushing = false;
            changed();
        }
    }

    /** Logs KVs that were Put into the small-SST buffer. */
    public void put(long kvs, long bytes) {
        log.put(family.name(), kvs, bytes);
    }

    /** Logs a failed flush of the small-SST buffer, which will be retried. */
    public void smallSstFlushFailed(String reason, long againAfterMillis) {
        log.smallSstFlushFailed(family.name(), reason, againAfterMillis);
    }

    /** Logs that an import into this table begins or resumes. */
    public void filling(String table) {
        log.filling(family.name(), table);
    }

    /** Logs the publication: clients read and write the table from now on. */
    public synchronized void published(String table) {
        refresh();
        flushes = true;
        changed();
        log.published(family.name(), table);
    }

    /** Logs the drop of the column family. */
    void dropped() {
        log.dropped(family.name());
    }

    synchronized void takesPuts() {
        flushes = true;
    }

    /** Marks the tree as changed. */
    public synchronized void touched() {
        changed();
    }

    /** Sublevels over these keys, gaps included, plus admitted SSTs that have not arrived. */
    public synchronized int top(KeyBounds bounds) {
        if (stale && System.nanoTime() - nextRefreshNanos >= 0) {
            refresh();
        }
        int admitted = 0;
        for (Arrival arrival : arrivals) {
            if (arrival.bounds.overlaps(bounds)) {
                admitted++;
            }
        }
        return map.top(bounds) + admitted;
    }

    /** The number of SSTs, including admitted ones. */
    public synchronized int files() {
        return map.fileCount() + arrivals.size();
    }

    /** The largest number of files over any key at any refresh. */
    public synchronized int maxHeight() {
        return maxHeight;
    }

    /** The largest number of files over any key at the last refresh. */
    public synchronized int height() {
        return map.height();
    }

    /** Files in level 0. */
    public synchronized int level0Files() {
        return level0Files;
    }

    /** Bytes of running compactions, and of files above the start height. */
    public synchronized long owedBytes() {
        long running =
                merging.values().stream().mapToLong(CompactionPick::inputBytes).sum();
        return running + owedBytes;
    }

    /** Bytes that compactions have written. */
    public synchronized long bytesMerged() {
        return bytesMerged;
    }

    /** The reason of the last compaction's failure; empty when it succeeded. */
    public synchronized String trouble() {
        return trouble;
    }

    /** Whether the tree has changed since {@link #refreshToPlan}. */
    synchronized boolean unplanned() {
        return unplanned;
    }

    /** Refreshes the tree for the planner. */
    synchronized SublevelMap refreshToPlan() {
        unplanned = false;
        SublevelMap current = refresh();
        nextPlanNanos = nextRefreshNanos;
        return current;
    }

    private void changed() {
        stale = true;
        unplanned = true;
    }

    /** Nanoseconds until the planner may refresh the tree again; 0 or less when it may. */
    synchronized long nanosToPlan() {
        return nextPlanNanos - System.nanoTime();
    }

    /** Refreshes the tree from RocksDB's metadata, and returns its map. */
    public synchronized SublevelMap refresh() {
        long start = System.nanoTime();
        stale = false;
        List<LsmFile> files = family.files();
        arrivals.removeIf(arrival -> arrival.arrived);
        map = SublevelMap.of(files, BOTTOM_LEVEL);
        maxHeight = Math.max(maxHeight, map.height());
        level0Files = (int) files.stream().filter(file -> file.level() == 0).count();
        logNew(files);
        long now = System.nanoTime();
        nextRefreshNanos = now + PAUSE_PER_REFRESH * (now - start);
        return map;
    }

    synchronized void setOwedBytes(long bytes) {
        owedBytes = bytes;
    }

    synchronized void mergeBegan(long job, CompactionPick pick) {
        merging.put(job, pick);
        log.mergeBegan(family.name(), job, pick);
    }

    synchronized void mergeEnded(long job, MergeResult result) {
        merging.remove(job);
        bytesMerged += result.bytesWritten();
        trouble = "";
        List<LsmFile> files = family.files();
        Set<String> outputs = new HashSet<>(result.outputs());
        log.mergeEnded(
                family.name(),
                job,
                result,
                files.stream().filter(file -> outputs.contains(file.name())).toList());
        if (logged != null) {
            result.inputs().forEach(logged::remove);
            logged.addAll(outputs);
        }
        changed();
        nextRefreshNanos = System.nanoTime();
        nextPlanNanos = nextRefreshNanos;
    }

    synchronized void mergePutOff(long job) {
        merging.remove(job);
        log.mergePutOff(family.name(), job);
        changed();
    }

    synchronized void mergeFailed(long job, String reason, long againAfterMillis) {
        CompactionPick pick = merging.remove(job);
        trouble = reason;
        if (pick != null) {
            log.mergeFailed(family.name(), job, pick, reason, againAfterMillis);
        }
        changed();
    }

    /**
     * Logs new files. If inputs of a running compaction are missing, it has ended but its worker has not reported yet.
     * The log then waits for that report.
     */
    private void logNew(List<LsmFile> files) {
        Set<String> names = new HashSet<>();
        files.forEach(file -> names.add(file.name()));
        boolean unreported = merging.values().stream()
                .flatMap(pick -> pick.inputs().stream())
                .anyMatch(input -> !names.contains(input.name()));
        if (unreported) {
            changed();
            return;
        }
        if (logged == null) {
            log.began(family.name(), files);
        } else {
            Set<String> before = logged;
            List<LsmFile> added =
                    files.stream().filter(file -> !before.contains(file.name())).toList();
            logAdded(added);
        }
        logged = names;
    }

    private void logAdded(List<LsmFile> added) {
        List<LsmFile> flushed =
                flushes ? added.stream().filter(file -> file.level() == 0).toList() : List.of();
        List<LsmFile> ingested =
                added.stream().filter(file -> !flushed.contains(file)).toList();
        if (!flushed.isEmpty()) {
            log.came(family.name(), TreeLog.Cause.FLUSHED, flushed);
        }
        if (!ingested.isEmpty()) {
            log.came(family.name(), flushing ? TreeLog.Cause.SMALL_SST_FLUSH : TreeLog.Cause.INGESTED, ingested);
        }
    }
}
