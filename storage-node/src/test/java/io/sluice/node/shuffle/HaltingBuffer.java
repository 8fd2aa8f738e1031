package io.sluice.node.shuffle;

import io.sluice.api.node.ShuffleBatch;
import java.nio.file.Path;

/**
 * A process that buffers batches from several threads, prints each taken one, and halts after a given number without
 * cleanup.
 */
final class HaltingBuffer {
    static final int BATCHES = 400;
    static final int EXIT_CODE = 88;

    private static final int THREADS = 3;

    private HaltingBuffer() {}

    public static void main(String[] args) throws Exception {
        ShuffleBuffer buffer = ShuffleBuffer.open(Path.of(args[0]), ShuffleBufferTest.SMALL);
        int haltAfter = Integer.parseInt(args[1]);
        Object lock = new Object();
        int[] acknowledged = new int[1];
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            threads[t] = new Thread(() -> {
                for (int i = first; i < BATCHES; i += THREADS) {
                    ShuffleBatch batch = ShuffleBufferTest.batch(i);
                    ShuffleBufferTest.send(buffer, batch);
                    synchronized (lock) {
                        System.out.println(i);
                        if (++acknowledged[0] == haltAfter) {
                            System.out.flush();
                            Runtime.getRuntime().halt(EXIT_CODE);
                        }
                    }
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
