package io.sluice.node.compact;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.kv.KeySpan;
import io.sluice.node.store.Family;
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
 * Keeps the trees of a store in shape: asks the {@link CompactionPicker} what to merge and has it merged, several at a
 * time. Usable by several threads.
 *
 * <p>One thread, the planner, owns all that is decided; others send it messages. Workers run merges and send back how
 * it went:
 *
 * <pre>
 *   ingest, settle, publish --message--> planner --pick--> worker --message--> planner
 * </pre>
 *
 * <p>A merge that fails leaves its inputs as they are. Its tree is left alone for a while that doubles with every
 * failure in a row, then looked at anew.
 */
public final class Compactor implements AutoCloseable {
    /** Merges under way when a store is closed get this long to end by themselves before they are cut off. */
    private static final long CLOSE_MILLIS = 2_000;

    private final TreeLog log;
    private final Map<String, LiveTree> live = new ConcurrentHashMap<>();
    private final ExecutorService workers;
    private final Planner planner;
    private final Thread thread;

    /**
     * Starts the planner.
     *
     * @param log told of every merge
     * @param beforeMerge called on the worker before each merge; what it throws counts as the merge's failure
     */
    public Compactor(CompactionSettings settings, Backoff backoff, TreeLog log, Runnable beforeMerge) {
        this.log = log;
        workers = Executors.newFixedThreadPool(settings.concurrentPicks(), task -> daemon(task, "sluice-merge"));
        planner = new Planner(settings, backoff, workers, beforeMerge);
        thread = daemon(planner, "sluice-planner");
        thread.start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread made = new Thread(task, name);
        made.setDaemon(true);
        return made;
    }

    /**
     * Begins to look after a column family, or goes on in another way.
     *
     * @param apart spans whose files are never to be joined in one; empty: all may
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

    /** SSTs on all trees, with those that were let in. */
    public long files() {
        return live.values().stream().mapToLong(LiveTree::files).sum();
    }

    /** Most files above each other over any key of any tree, as it was when the trees were looked at last. */
    public int height() {
        return live.values().stream().mapToInt(LiveTree::height).max().orElse(0);
    }

    /** Bytes that merges have to rewrite, on all trees. */
    public long owedBytes() {
        return live.values().stream().mapToLong(LiveTree::owedBytes).sum();
    }

    /** Tells that something has changed the tree of a column family, if that is looked after. */
    public void touched(String family) {
        LiveTree tree = live.get(family);
        if (tree != null) {
            tree.touched();
            planner.wake();
        }
    }

    /**
     * Merges until no two files of the tree hold the same keys, and waits for it. Nothing may come into the tree
     * meanwhile.
     *
     * @throws OperationFailedException when a merge fails again and again, or the thread is interrupted
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

    /** Starts no merge of a column family until {@link #resume}, and waits for those that run. */
    public void pause(String family) {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        withTree(family, idle, managed -> {
            managed.paused = true;
            managed.idle.add(idle);
            managed.idleIfNothingRuns();
        });
        awaitIdle(idle);
    }

    /** Ends a {@link #pause}. */
    public void resume(String family) {
        withTree(family, new CompletableFuture<>(), managed -> {
            managed.paused = false;
            managed.live.touched();
        });
    }

    /** Looks after a column family no more, and waits for the merges that run. */
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
            gone.gone();
        }
    }

    /** Does something with a tree on the planner's thread; when there is none, completes the future. */
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

    /** A closed compactor answers nobody; what runs then is cut off by the store. */
    private void awaitIdle(CompletableFuture<Void> idle) {
        while (thread.isAlive() && !idle.isDone()) {
            try {
                idle.get(100, TimeUnit.MILLISECONDS);
            } catch (java.util.concurrent.TimeoutException e) {
                // Look again whether the planner lives.
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
                    // Merging may take long.
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
            return new OperationFailedException("waiting for merges was interrupted", e);
        }
        return e.getCause() instanceof SluiceException known ? known : new IllegalStateException(e.getCause());
    }

    /** Starts no merges any more, and gives those that run a moment. The store must be closed next. */
    @Override
    public void close() {
        planner.send(planner::stop);
        try {
            // Before the workers go: it may be giving them something to do.
            thread.join(CLOSE_MILLIS);
            workers.shutdown();
            workers.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            workers.shutdown();
            Thread.currentThread().interrupt();
        }
    }
}
