package io.sluice.bench.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Reads of random rows that the node has taken. {@link #read} is for one thread. */
final class PointReads {
    private static final int TRIES = 20;

    private final Node node;
    private final Items items;
    private final SplittableRandom random;
    private final List<Input.Sst> readable = new ArrayList<>();
    private final Latencies latencies = new Latencies();
    private final AtomicLong found = new AtomicLong();

    PointReads(Node node, Items items, long seed) {
        this.node = node;
        this.items = items;
        random = new SplittableRandom(seed);
    }

    /** An SST of the primary index was taken. */
    void taken(Input.Sst sst) {
        synchronized (readable) {
            readable.add(sst);
        }
    }

    /** Reads one row, if there are any. */
    void read() {
        byte[] key = key();
        if (key.length == 0) {
            return;
        }
        long begun = System.nanoTime();
        byte[] value = node.get(key);
        latencies.add(System.nanoTime() - begun);
        if (value != null) {
            found.incrementAndGet();
        }
    }

    /** A key of an SST that was taken; empty when chance does not find one. */
    private byte[] key() {
        for (int i = 0; i < TRIES; i++) {
            Input.Sst sst;
            synchronized (readable) {
                if (readable.isEmpty()) {
                    break;
                }
                sst = readable.get(random.nextInt(readable.size()));
            }
            byte[] key = items.key(random.nextLong(sst.firstRow(), sst.endRow()));
            if (sst.spans(key)) {
                return key;
            }
        }
        return new byte[0];
    }

    Latencies latencies() {
        return latencies;
    }

    long found() {
        return found.get();
    }
}
