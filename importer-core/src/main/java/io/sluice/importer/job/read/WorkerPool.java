package io.sluice.importer.job.read;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs work on several threads and waits for all of them; throws the first failure. */
public final class WorkerPool {
    /** The work of one thread. */
    public interface Work {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Longest wait for interrupted threads: 10 s. A thread that runs longer is stuck; sorting the largest buffer and
     * writing it as an SST takes a second.
     */
    private static final long END_MILLIS = 10_000;

    private static final long ASK_AGAIN_MILLIS = 100;

    private WorkerPool() {}

    /**
     * Runs each work on its own thread, and returns when all have ended.
     *
     * @param onFailure called once, on the first failure, to end the other threads soon
     * @throws InterruptedException when the caller is interrupted; the threads were interrupted, too, and have ended
     */
    public static void run(String name, List<? extends Work> works, Runnable onFailure) throws InterruptedException {
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
     * Interrupts the threads and waits for them, since their resources are about to be closed. A thread that reads from
     * a pipe without a writer cannot be interrupted. It is left behind and ends when it gets a byte.
     */
    private static void endSoon(List<Thread> threads) {
        long until = System.nanoTime() + END_MILLIS * 1_000_000;
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive() && System.nanoTime() < until) {
                // Repeatedly, since library code may swallow an interrupt.
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
            // What becomes of the work is for the caller to say.
            throw new OperationFailedException(DiskAdvice.message(failure), failure);
        }
        if (failure instanceof OutOfMemoryError) {
            throw new OperationFailedException(
                    "the JVM's heap is full; lower --memory, or set SLUICE_JAVA_OPTS=-Xmx to more", failure);
        }
        throw new IllegalStateException(failure);
    }
}
