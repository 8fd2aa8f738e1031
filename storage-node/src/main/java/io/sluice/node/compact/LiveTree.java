package io.sluice.node.compact;

import io.sluice.node.store.Family;
import io.sluice.node.store.LiveSst;
import io.sluice.node.store.MergeResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tree of one column family as it was when its metadata was read last, plus what has been let in since. Reading the
 * metadata of 2,000 files and building their map takes about 6 ms, so it is done only when something has changed, and
 * takes no more than a twentieth of the time. Usable by several threads.
 */
public final class LiveTree {
    /** Number of the last level of a column family that holds a table. */
    static final int BOTTOM_LEVEL = 63;

    /** After a look that took t, the next one waits for this many t. */
    private static final long PAUSE_PER_LOOK = 20;

    private final Family family;
    private final TreeLog log;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<Long, CompactionPick> merging = new HashMap<>();
    private SublevelMap map = SublevelMap.of(List.of(), BOTTOM_LEVEL);
    /** What the log was told that the tree holds; null before it was told anything. */
    private @Nullable Set<String> told;

    /** Whether the map is not that of the tree as it is. */
    private boolean stale = true;
    /**
     * Whether something changed that the planner has not looked at. Others look too, and must not take that from it.
     */
    private boolean unplanned = true;

    private long nextLookNanos = System.nanoTime();
    private int maxHeight;
    private int level0Files;
    private long owedBytes;
    private long bytesMerged;
    private String trouble = "";
    /** Whether the table takes Puts, so that what turns up in level 0 was flushed. */
    private boolean flushes;
    /** Whether what turns up now was drained. */
    private boolean draining;

    LiveTree(Family family, TreeLog log) {
        this.family = family;
        this.log = log;
    }

    /** The column family. */
    public Family family() {
        return family;
    }

    /** Counts an SST that was let in. Pair with {@link #landed} or {@link #withdraw}. */
    public synchronized Arrival expect(KeyBounds bounds) {
        Arrival arrival = new Arrival(bounds);
        arrivals.add(arrival);
        return arrival;
    }

    /** The SST is in the tree. */
    public synchronized void landed(Arrival arrival) {
        arrival.land();
        changed();
    }

    /** The SST does not come after all. */
    public synchronized void withdraw(Arrival arrival) {
        arrivals.remove(arrival);
    }

    /**
     * Ingests files that were drained from another column family.
     *
     * @param ingest brings them into the tree
     */
    public synchronized void drained(Runnable ingest) {
        look();
        draining = true;
        try {
            ingest.run();
            look();
        } finally {
            draining = false;
            changed();
        }
    }

    /** KVs were Put elsewhere that will come here. */
    public void put(long kvs, long bytes) {
        log.put(family.name(), kvs, bytes);
    }

    /** Files could not be drained from another column family; they are drained again. */
    public void smallSstFlushFailed(String reason, long againAfterMillis) {
        log.smallSstFlushFailed(family.name(), reason, againAfterMillis);
    }

    /** An import into this table begins, or goes on. */
    public void filling(String table) {
        log.filling(family.name(), table);
    }

    /** The table can be read from now on, and be written. */
    public synchronized void published(String table) {
        look();
        flushes = true;
        changed();
        log.published(family.name(), table);
    }

    /** The column family is about to go. */
    void gone() {
        log.dropped(family.name());
    }

    synchronized void takesPuts() {
        flushes = true;
    }

    /** Something else has changed the tree. */
    public synchronized void touched() {
        changed();
    }

    /** Sublevels taken over these keys, gaps included, with what was let in and has not landed. */
    public synchronized int top(KeyBounds bounds) {
        if (stale && System.nanoTime() - nextLookNanos >= 0) {
            look();
        }
        int coming = 0;
        for (Arrival arrival : arrivals) {
            if (arrival.bounds().overlaps(bounds)) {
                coming++;
            }
        }
        return map.top(bounds) + coming;
    }

    /** How many SSTs there are, with those that were let in. */
    public synchronized int files() {
        return map.fileCount() + arrivals.size();
    }

    /** Most files above each other over any key at any time. */
    public synchronized int maxHeight() {
        return maxHeight;
    }

    /** Most files above each other over any key now. */
    public synchronized int height() {
        return map.height();
    }

    /** Files in level 0. */
    public synchronized int level0Files() {
        return level0Files;
    }

    /** Bytes of merges that run, and of files in places that should be free. */
    public synchronized long owedBytes() {
        long running =
                merging.values().stream().mapToLong(CompactionPick::inputBytes).sum();
        return running + owedBytes;
    }

    /** Bytes that merges have written. */
    public synchronized long bytesMerged() {
        return bytesMerged;
    }

    /** Why the last merge failed; empty when it did not. */
    public synchronized String trouble() {
        return trouble;
    }

    /** Whether something changed since {@link #lookToPlan}. */
    synchronized boolean unplanned() {
        return unplanned;
    }

    /** The tree as it is now, for the planner. */
    synchronized SublevelMap lookToPlan() {
        unplanned = false;
        return look();
    }

    private void changed() {
        stale = true;
        unplanned = true;
    }

    /** Nanoseconds until a look is due again; 0 or less when it is. */
    synchronized long nanosToLook() {
        return nextLookNanos - System.nanoTime();
    }

    /** The tree as it is now. */
    public synchronized SublevelMap look() {
        long begun = System.nanoTime();
        stale = false;
        List<LiveSst> files = family.files();
        arrivals.removeIf(Arrival::landed);
        map = SublevelMap.of(files.stream().map(LiveTree::file).toList(), BOTTOM_LEVEL);
        maxHeight = Math.max(maxHeight, map.height());
        level0Files = (int) files.stream().filter(file -> file.level() == 0).count();
        tell(files);
        long now = System.nanoTime();
        nextLookNanos = now + PAUSE_PER_LOOK * (now - begun);
        return map;
    }

    synchronized void owe(long bytes) {
        owedBytes = bytes;
    }

    synchronized void mergeBegins(long job, CompactionPick pick) {
        merging.put(job, pick);
        log.mergeBegan(family.name(), job, pick);
    }

    synchronized void mergeEnds(long job, MergeResult result) {
        merging.remove(job);
        bytesMerged += result.bytesWritten();
        trouble = "";
        List<LiveSst> files = family.files();
        Set<String> outputs = new HashSet<>(result.outputs());
        log.mergeEnded(
                family.name(),
                job,
                result,
                files.stream().filter(file -> outputs.contains(file.name())).toList());
        if (told != null) {
            result.inputs().forEach(told::remove);
            told.addAll(outputs);
        }
        changed();
        nextLookNanos = System.nanoTime();
    }

    synchronized void mergeIsPutOff(long job) {
        merging.remove(job);
        log.mergePutOff(family.name(), job);
        changed();
    }

    synchronized void mergeFails(long job, String reason, long againAfterMillis) {
        CompactionPick pick = merging.remove(job);
        trouble = reason;
        if (pick != null) {
            log.mergeFailed(family.name(), job, pick, reason, againAfterMillis);
        }
        changed();
    }

    /**
     * Tells the log which files are new. When inputs of a running merge are gone, that merge has ended and its outputs
     * are here, but it could not say so yet: then telling waits until it has.
     */
    private void tell(List<LiveSst> files) {
        Set<String> names = new HashSet<>();
        files.forEach(file -> names.add(file.name()));
        boolean mergeUntold = merging.values().stream()
                .flatMap(pick -> pick.inputs().stream())
                .anyMatch(input -> !names.contains(input.name()));
        if (mergeUntold) {
            changed();
            return;
        }
        if (told == null) {
            log.began(family.name(), files);
        } else {
            Set<String> before = told;
            List<LiveSst> came =
                    files.stream().filter(file -> !before.contains(file.name())).toList();
            tellCame(came);
        }
        told = names;
    }

    private void tellCame(List<LiveSst> came) {
        List<LiveSst> flushed =
                flushes ? came.stream().filter(file -> file.level() == 0).toList() : List.of();
        List<LiveSst> ingested =
                came.stream().filter(file -> !flushed.contains(file)).toList();
        if (!flushed.isEmpty()) {
            log.came(family.name(), TreeLog.Cause.FLUSHED, flushed);
        }
        if (!ingested.isEmpty()) {
            log.came(family.name(), draining ? TreeLog.Cause.SMALL_SST_FLUSH : TreeLog.Cause.INGESTED, ingested);
        }
    }

    private static LsmFile file(LiveSst sst) {
        return new LsmFile(
                sst.name(),
                sst.level(),
                new KeyBounds(sst.smallestKey(), sst.largestKey()),
                sst.entries(),
                sst.fileBytes(),
                sst.largestSeqno());
    }
}
