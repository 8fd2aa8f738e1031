package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.MergeResult;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that decides which compactions run. It owns all {@link ManagedTree}s; other threads send it messages,
 * which it runs one after the other.
 */
final class Planner implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Planner.class);
    /** The interval at which visible trees are checked for memtable flushes in level 0. */
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CompactionSettings settings;
    private final Backoff backoff;
    private final CompactionPicker picker;
    private final Runnable beforeMerge;
    private final ExecutorService workers;
    private final BlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();
    private final Map<String, ManagedTree> trees = new HashMap<>();
    private int running;
    private long lastJob;
    private long nextTickNanos = System.nanoTime();
    private boolean stopped;

    Planner(CompactionSettings settings, Backoff backoff, ExecutorService workers, Runnable beforeMerge) {
        this.settings = settings;
        this.backoff = backoff;
        this.workers = workers;
        this.beforeMerge = beforeMerge;
        picker = new CompactionPicker(settings);
    }

    /** Queues a message for this thread. Usable by any thread. */
    void send(Runnable message) {
        inbox.add(message);
    }

    /** Wakes the planner unless it has messages anyway. Usable by any thread. */
    void wake() {
        if (inbox.isEmpty()) {
            inbox.add(() -> {});
        }
    }

    @Override
    public void run() {
        while (!stopped) {
            receive();
            boolean tick = System.nanoTime() - nextTickNanos >= 0;
            if (tick) {
                nextTickNanos = System.nanoTime() + TICK_NANOS;
            }
            for (ManagedTree tree : List.copyOf(trees.values())) {
                serve(tree, tick);
            }
        }
        trees.values().forEach(tree -> failWaiters(tree, new IllegalStateException("the store is closed")));
    }

    private void receive() {
        try {
            Runnable message = inbox.poll(nanosToWait(), TimeUnit.NANOSECONDS);
            while (message != null) {
                message.run();
                message = inbox.poll();
            }
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    /** Nanoseconds until the next refresh of a changed tree, at most a tick. */
    private long nanosToWait() {
        long wait = TICK_NANOS;
        for (ManagedTree tree : trees.values()) {
            if (tree.live.unplanned() && !tree.paused() && running < settings.concurrentPicks()) {
                long toRefresh = tree.mode == CompactionMode.FINAL ? 0 : tree.live.nanosToPlan();
                wait = Math.min(wait, Math.max(0, Math.max(toRefresh, tree.retryAtNanos - System.nanoTime())));
            }
        }
        return wait;
    }

    /** The managed tree of a column family, or null. */
    @Nullable
    ManagedTree tree(String family) {
        return trees.get(family);
    }

    void add(ManagedTree tree) {
        trees.put(tree.live.family().name(), tree);
    }

    void remove(ManagedTree tree) {
        trees.remove(tree.live.family().name(), tree);
        failWaiters(tree, new OperationFailedException("the import was undone meanwhile"));
    }

    /** Ends the loop, without waiting for running compactions. */
    void stop() {
        stopped = true;
    }

    private void serve(ManagedTree tree, boolean tick) {
        try {
            if (tick && tree.mode == CompactionMode.ONLINE && tree.live.family().filesInLevel0() > 0) {
                tree.live.touched();
            }
            plan(tree);
        } catch (RuntimeException | Error e) {
            // The store is closing, the tree changed during the refresh, or memory ran out. No other event may trigger
            // the next refresh, and all trees need this thread.
            tree.failures++;
            long wait = backoff.boundMillis(tree.failures);
            tree.retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait);
            tree.live.touched();
            LOG.warn(
                    "column family {} could not be planned for, trying again in {} ms",
                    tree.live.family().name(),
                    wait,
                    e);
            if (tree.failures >= backoff.attempts()) {
                failWaiters(tree, e instanceof RuntimeException known ? known : new IllegalStateException(e));
            }
        }
    }

    private void plan(ManagedTree tree) {
        boolean due = tree.live.unplanned()
                && !tree.paused()
                && running < settings.concurrentPicks()
                && tree.retryAtNanos - System.nanoTime() <= 0
                && (tree.live.nanosToPlan() <= 0 || tree.mode == CompactionMode.FINAL);
        if (!due) {
            return;
        }
        SublevelMap map = tree.live.refreshToPlan();
        tree.live.setOwedBytes(owed(map, tree.mode));
        List<CompactionPick> picks = new ArrayList<>();
        for (SublevelMap part : tree.parts(map)) {
            List<CompactionPick> held = new ArrayList<>(tree.running.values());
            held.addAll(picks);
            picks.addAll(picker.pick(part, CompactionsInProgress.of(held), running + picks.size(), tree.mode));
        }
        picks.forEach(pick -> start(tree, pick));
        if (running >= settings.concurrentPicks()) {
            // More may be due once a worker is free.
            tree.live.touched();
        }
        if (tree.running.isEmpty() && tree.mode == CompactionMode.FINAL && !tree.live.unplanned()) {
            endFinal(tree, map);
        }
    }

    private void endFinal(ManagedTree tree, SublevelMap map) {
        CompletableFuture<Void> merged = tree.merged;
        if (merged == null) {
            return;
        }
        tree.merged = null;
        if (map.height() > 1) {
            merged.completeExceptionally(new IllegalStateException(
                    "no compaction is left, but " + map.height() + " SSTs hold the same keys"));
        }
        merged.complete(null);
    }

    /** Bytes of files above the start height of the mode. */
    private long owed(SublevelMap map, CompactionMode mode) {
        return map.bytesFrom(
                mode == CompactionMode.ONLINE
                        ? settings.online().start()
                        : settings.offline().start());
    }

    private void start(ManagedTree tree, CompactionPick pick) {
        long job = ++lastJob;
        running++;
        tree.running.put(job, pick);
        tree.live.mergeBegan(job, pick);
        try {
            workers.execute(() -> merge(tree, job, pick));
        } catch (RuntimeException | Error e) {
            // There is no thread for it, or the store is closing. Its place must become free.
            failed(tree, job, new OperationFailedException("a compaction could not begin: " + e, e));
        }
    }

    /** Runs a compaction, on a worker. */
    private void merge(ManagedTree tree, long job, CompactionPick pick) {
        try {
            beforeMerge.run();
            @Nullable
            MergeResult result = tree.live
                    .family()
                    .merge(
                            pick.inputs().stream().map(LsmFile::name).toList(),
                            pick.outputLevel(),
                            pick.outputFileBytes(),
                            pick.threads());
            if (result == null) {
                tree.live.mergePutOff(job);
                send(() -> leave(tree, job));
            } else {
                tree.live.mergeEnded(job, result);
                send(() -> ended(tree, job));
            }
        } catch (RuntimeException e) {
            send(() -> failed(tree, job, e));
        } catch (Error e) {
            // Its place must become free: a pause waits for it.
            send(() -> failed(tree, job, new IllegalStateException(e)));
            throw e;
        }
    }

    private void ended(ManagedTree tree, long job) {
        tree.failures = 0;
        leave(tree, job);
    }

    private void failed(ManagedTree tree, long job, RuntimeException e) {
        tree.failures++;
        long wait = backoff.boundMillis(tree.failures);
        tree.retryAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait);
        String reason = Objects.requireNonNullElse(e.getMessage(), e.toString());
        tree.live.mergeFailed(job, reason, wait);
        LOG.warn("{}; its files are unchanged, trying again in {} ms", reason, wait);
        leave(tree, job);
        if (tree.failures >= backoff.attempts()) {
            failWaiters(tree, e);
        }
    }

    private void leave(ManagedTree tree, long job) {
        running--;
        tree.running.remove(job);
        tree.live.touched();
        tree.idleIfNothingRuns();
    }

    private static void failWaiters(ManagedTree tree, RuntimeException e) {
        CompletableFuture<Void> merged = tree.merged;
        if (merged != null) {
            tree.merged = null;
            merged.completeExceptionally(e);
        }
    }
}
