package io.sluice.engine.compact;

import io.sluice.engine.store.Family;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.thread.Backoff;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Compacts the trees of a store: asks the {@link CompactionPicker} for picks, and runs them in parallel. Usable by
 * several threads.
 *
 * <p>One thread, the planner, owns the planning state; other threads send it messages. Workers run compactions and send
 * back the results:
 *
 * <pre>
 *   ingest, finalize, publish --message--> planner --pick--> worker --message--> planner
 * </pre>
 *
 * <p>A failed compaction leaves its inputs unchanged. The planner retries the tree after a wait that doubles with every
 * consecutive failure.
 */
public final class Compactor implements AutoCloseable {
    /** Time that running compactions get to end by themselves before a closing store cancels them. */
    private static final long CLOSE_MILLIS = 2_000;

    private final TreeLog log;
    private final Map<String, LiveTree> live = new ConcurrentHashMap<>();
    private final ExecutorService workers;
    private final Planner planner;
    private final Thread thread;

    /**
     * Starts the planner.
     *
     * @param log receives the events of every compaction
     * @param beforeMerge called on the worker before each compaction; its exception fails the compaction
     */
    public Compactor(CompactionSettings settings, Backoff backoff, TreeLog log, Runnable beforeMerge) {
        this.log = log;
        workers = Executors.newFixedThreadPool(settings.concurrentPicks(), task -> daemon(task, "sluice-merge"));
        planner = new Planner(settings, backoff, workers, beforeMerge);
        thread = daemon(planner, "sluice-planner");
        thread.start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread created = new Thread(task, name);
        created.setDaemon(true);
        return created;
    }

    /**
     * Begins to manage a column family, or changes its mode.
     *
     * @param apart spans whose files are never joined in one; empty: all may be joined
     */
    public LiveTree manage(Family family, CompactionMode mode, List<KeySpan> apart) {
        LiveTree tree = live.computeIfAbsent(family.name(), name -> new LiveTree(family, log));
        if (mode == CompactionMode.ONLINE) {
            tree.takesPuts();
        }
        planner.send(() -> {
            ManagedTree known = planner.tree(family.name());
            if (known == null) {
                planner.add(new ManagedTree(tree, mode, apart));
            } else {
                known.mode = mode;
                known.apart = apart;
                tree.touched();
            }
        });
        return tree;
    }

    /** The number of SSTs in all trees, including admitted ones. */
    public long files() {
        return live.values().stream().mapToLong(LiveTree::files).sum();
    }

    /** The largest number of files over any key of any tree, at the last refresh of the trees. */
    public int height() {
        return live.values().stream().mapToInt(LiveTree::height).max().orElse(0);
    }

    /** Bytes that compactions have to rewrite, in all trees. */
    public long owedBytes() {
        return live.values().stream().mapToLong(LiveTree::owedBytes).sum();
    }

    /** Notifies the planner of a change of a column family's tree, if it is managed. */
    public void touched(String family) {
        LiveTree tree = live.get(family);
        if (tree != null) {
            tree.touched();
            planner.wake();
        }
    }

    /**
     * Compacts until no two files of the tree overlap, and waits for it. No file may enter the tree meanwhile.
     *
     * @throws OperationFailedException when a compaction fails repeatedly, or the thread is interrupted
     */
    public void mergeAll(LiveTree tree) {
        CompletableFuture<Void> merged = new CompletableFuture<>();
        withTree(tree.family().name(), merged, managed -> {
            managed.mode = CompactionMode.FINAL;
            managed.merged = merged;
            managed.failures = 0;
            managed.retryAtNanos = System.nanoTime();
            managed.live.touched();
        });
        try {
            await(merged);
        } finally {
            withTree(tree.family().name(), new CompletableFuture<>(), managed -> managed.mode = CompactionMode.OFFLINE);
        }
    }

    /**
     * Stops compactions of a column family until {@link #resume}, and waits for the running ones. They begin again when
     * the pauses of all owners have ended. An interrupted wait counts as a pause, too.
     *
     * @param owner id of the import that needs the pause; a repeated call of one owner has no effect
     */
    public void pause(String family, int owner) {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        withTree(family, idle, managed -> {
            managed.pauses.add(owner);
            managed.idle.add(idle);
            managed.idleIfNothingRuns();
        });
        awaitIdle(idle);
    }

    /** Ends the {@link #pause} of an owner, if it has one. */
    public void resume(String family, int owner) {
        withTree(family, new CompletableFuture<>(), managed -> {
            managed.pauses.remove(owner);
            managed.live.touched();
        });
    }

    /** Stops managing a column family, and waits for its running compactions. */
    public void forget(String family) {
        LiveTree gone = live.remove(family);
        CompletableFuture<Void> idle = new CompletableFuture<>();
        withTree(family, idle, managed -> {
            planner.remove(managed);
            managed.idle.add(idle);
            managed.idleIfNothingRuns();
        });
        awaitIdle(idle);
        if (gone != null) {
            gone.dropped();
        }
    }

    /** Runs a message with a tree on the planner's thread; completes the future when there is no such tree. */
    private void withTree(String family, CompletableFuture<Void> otherwise, Consumer<ManagedTree> message) {
        planner.send(() -> {
            ManagedTree managed = planner.tree(family);
            if (managed == null) {
                otherwise.complete(null);
            } else {
                message.accept(managed);
            }
        });
    }

    /** Waits for a future. Returns as well when the compactor is closed; the store then cancels running compactions. */
    private void awaitIdle(CompletableFuture<Void> idle) {
        while (thread.isAlive() && !idle.isDone()) {
            try {
                idle.get(100, TimeUnit.MILLISECONDS);
            } catch (java.util.concurrent.TimeoutException e) {
                // Check again whether the planner is alive.
            } catch (InterruptedException | ExecutionException e) {
                throw broken(e);
            }
        }
    }

    private void await(CompletableFuture<Void> merged) {
        try {
            while (!merged.isDone()) {
                if (!thread.isAlive()) {
                    throw new IllegalStateException("the store is closed");
                }
                try {
                    merged.get(1, TimeUnit.SECONDS);
                } catch (java.util.concurrent.TimeoutException e) {
                    // Compactions may take long.
                }
            }
            merged.get();
        } catch (InterruptedException | ExecutionException e) {
            throw broken(e);
        }
    }

    private static RuntimeException broken(Exception e) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new OperationFailedException("waiting for compactions was interrupted", e);
        }
        return e.getCause() instanceof SluiceException known ? known : new IllegalStateException(e.getCause());
    }

    /** Stops the planner, and gives running compactions some time to end. The caller closes the store next. */
    @Override
    public void close() {
        planner.send(planner::stop);
        try {
            // The planner ends before the workers, because it may be submitting work to them.
            thread.join(CLOSE_MILLIS);
            workers.shutdown();
            workers.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            workers.shutdown();
            Thread.currentThread().interrupt();
        }
    }
}
