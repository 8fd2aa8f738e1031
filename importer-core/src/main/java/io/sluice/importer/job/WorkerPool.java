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

    private WorkerPool() {}

    /**
     * Runs every work on a thread of its own until all have ended.
     *
     * @param onFailure called once when the first of them fails, to make the others end soon
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
            for (Thread thread : threads) {
                thread.interrupt();
            }
            throw e;
        }
        rethrow(failure.get());
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
