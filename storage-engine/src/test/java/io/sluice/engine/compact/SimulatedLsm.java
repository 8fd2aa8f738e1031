package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Simulates a column family of 64 levels: ingestion places files as RocksDB does, and compactions add the inputs that
 * RocksDB would add. Keys are numbers, values the number of their file.
 */
final class SimulatedLsm {
    static final int BOTTOM = 63;
    static final long KV_BYTES = 100;

    private record Stored(LsmFile file, NavigableMap<Integer, Integer> kvs) {}

    private final Map<String, Stored> files = new LinkedHashMap<>();
    private final List<CompactionPick> running = new ArrayList<>();
    private int names;
    private long arrivedBytes;
    private long mergedBytes;

    static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static KeyBounds bounds(NavigableMap<Integer, Integer> kvs) {
        return new KeyBounds(key(kvs.firstKey()), key(kvs.lastKey()));
    }

    SublevelMap map() {
        return SublevelMap.of(files.values().stream().map(Stored::file).toList(), BOTTOM);
    }

    List<CompactionPick> running() {
        return running;
    }

    /** The position of the next file: above overlapping files, and above the outputs of running compactions. */
    int top(NavigableMap<Integer, Integer> kvs) {
        KeyBounds bounds = bounds(kvs);
        int top = map().top(bounds);
        for (CompactionPick pick : running) {
            if (pick.bounds().overlaps(bounds)) {
                top = Math.max(top, BOTTOM - pick.outputLevel() + 1);
            }
        }
        return top;
    }

    void ingest(NavigableMap<Integer, Integer> kvs) {
        arrivedBytes += add(BOTTOM - top(kvs), kvs);
    }

    private long add(int level, NavigableMap<Integer, Integer> kvs) {
        String name = "F" + ++names;
        long bytes = kvs.size() * KV_BYTES;
        files.put(name, new Stored(new LsmFile(name, level, bounds(kvs), kvs.size(), bytes, names), kvs));
        return bytes;
    }

    /** Starts a compaction, with the same refusals as RocksDB. */
    void start(CompactionPick pick) {
        CompactionsInProgress busy = CompactionsInProgress.of(running);
        for (LsmFile input : pick.inputs()) {
            if (!files.containsKey(input.name()) || busy.holds(input)) {
                throw new AssertionError("busy or gone: " + input + " of " + pick);
            }
        }
        if (busy.overlaps(pick.bounds())) {
            throw new AssertionError("overlaps a running merge: " + pick);
        }
        List<LsmFile> closure =
                Closure.of(map(), pick.inputs(), BOTTOM - pick.outputLevel()).files();
        if (closure.size() != pick.inputs().size()) {
            throw new AssertionError("RocksDB would take " + closure + " for " + pick);
        }
        running.add(pick);
    }

    /** Ends the oldest running compaction. */
    void finishOne() {
        CompactionPick pick = running.remove(0);
        // Newest on top: older values are put first and overwritten. Files that arrived in between are included.
        List<LsmFile> inputs = new ArrayList<>(
                Closure.of(map(), pick.inputs(), BOTTOM - pick.outputLevel()).files());
        SublevelMap before = map();
        inputs.sort(
                Comparator.comparingInt(file -> before.sublevelOf(file.name()).position()));
        NavigableMap<Integer, Integer> merged = new TreeMap<>();
        for (LsmFile input : inputs) {
            Stored stored = files.remove(input.name());
            if (stored == null) {
                throw new AssertionError("gone: " + input);
            }
            merged.putAll(stored.kvs());
        }
        for (NavigableMap<Integer, Integer> output : cut(merged, pick)) {
            mergedBytes += add(pick.outputLevel(), output);
        }
    }

    private static List<NavigableMap<Integer, Integer>> cut(
            NavigableMap<Integer, Integer> merged, CompactionPick pick) {
        List<NavigableMap<Integer, Integer>> outputs = new ArrayList<>();
        NavigableMap<Integer, Integer> open = new TreeMap<>();
        for (Map.Entry<Integer, Integer> kv : merged.entrySet()) {
            if (open.size() * KV_BYTES >= pick.outputFileBytes()) {
                outputs.add(open);
                open = new TreeMap<>();
            }
            open.put(kv.getKey(), kv.getValue());
        }
        outputs.add(open);
        return outputs;
    }

    /** The visible KVs: for every key the value in the highest file. */
    NavigableMap<Integer, Integer> contents() {
        NavigableMap<Integer, Integer> seen = new TreeMap<>();
        for (LsmFile file : map().files()) {
            Stored stored = files.get(file.name());
            if (stored != null) {
                seen.putAll(stored.kvs());
            }
        }
        return seen;
    }

    /** Bytes written, arrivals included, per byte arrived. */
    double writeAmplification() {
        return (double) (arrivedBytes + mergedBytes) / arrivedBytes;
    }
}
