package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs the same kind of work on several threads and waits for all of them; the first failure is the one that counts.
 */
final class WorkerPool {
    /** What one thread does. */
    interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** What does not end by then is stuck: sorting the largest buffer and writing it as an SST takes a second. */
    private static final long END_MILLIS = 10_000;

    private static final long ASK_AGAIN_MILLIS = 100;

    private WorkerPool() {}

    /**
     * Runs every work on a thread of its own until all have ended.
     *
     * @param onFailure called once when the first of them fails, to make the others end soon
     * @throws InterruptedException when the caller is interrupted; the works were, too, and have ended
     */
    static void run(String name, List<? extends Work> works, Runnable onFailure) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (Work work : works) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            work.run();
                        } catch (Throwable e) {
                            if (failure.compareAndSet(null, e)) {
                                onFailure.run();
                            }
                        }
                    },
                    name + "-" + threads.size());
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            onFailure.run();
            endSoon(threads);
            throw e;
        }
        rethrow(failure.get());
    }

    /**
     * Interrupts threads and waits for them: what they work with is about to be closed. One that reads from a pipe to
     * which nobody writes cannot be interrupted, and is left behind; it ends when it gets a byte.
     */
    private static void endSoon(List<Thread> threads) {
        long until = System.nanoTime() + END_MILLIS * 1_000_000;
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive() && System.nanoTime() < until) {
                // Again and again: code of others may swallow one.
                threads.forEach(Thread::interrupt);
                try {
                    thread.join(ASK_AGAIN_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws InterruptedException {
        if (failure == null) {
            return;
        }
        if (failure instanceof SluiceException known) {
            throw known;
        }
        if (failure instanceof InterruptedException || failure instanceof InterruptedIOException) {
            throw new InterruptedException("the import was interrupted");
        }
        if (failure instanceof IOException) {
            throw DiskAdvice.failure(failure);
        }
        if (failure instanceof OutOfMemoryError) {
            throw new OperationFailedException(
                    "the JVM's heap is full; lower --memory, or set SLUICE_JAVA_OPTS=-Xmx to more", failure);
        }
        throw new IllegalStateException(failure);
    }
}
