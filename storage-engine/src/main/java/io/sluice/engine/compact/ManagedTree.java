package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The planner's state of one tree. Only for the planner's thread. */
final class ManagedTree {
    final LiveTree live;
    final Map<Long, CompactionPick> running = new HashMap<>();
    /** Futures to complete when no compaction runs. */
    final List<CompletableFuture<Void>> idle = new ArrayList<>();

    /** Compactions never join files of two of these spans; empty: all may be joined. */
    List<KeySpan> apart;

    CompactionMode mode;
    /** Owners of the pauses that have not ended. */
    final Set<Integer> pauses = new HashSet<>();

    int failures;
    long retryAtNanos = System.nanoTime();
    /** The future to complete when no files overlap; null when no caller waits. */
    @Nullable
    CompletableFuture<Void> merged;

    ManagedTree(LiveTree live, CompactionMode mode, List<KeySpan> apart) {
        this.live = live;
        this.mode = mode;
        this.apart = apart;
    }

    /** Splits the tree into parts that are compacted separately. */
    List<SublevelMap> parts(SublevelMap whole) {
        if (apart.isEmpty()) {
            return List.of(whole);
        }
        List<SublevelMap> parts = new ArrayList<>();
        for (KeySpan span : apart) {
            List<LsmFile> inside = whole.files().stream()
                    .filter(file -> span.contains(file.bounds().smallest()))
                    .toList();
            if (!inside.isEmpty()) {
                parts.add(SublevelMap.of(inside, whole.bottomLevel()));
            }
        }
        return parts;
    }

    boolean paused() {
        return !pauses.isEmpty();
    }

    void idleIfNothingRuns() {
        if (running.isEmpty()) {
            idle.forEach(waiting -> waiting.complete(null));
            idle.clear();
        }
    }
}
