package io.sluice.sql.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.thread.Interrupts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work for several nodes is done, all of it, whether threads are free or not. */
@Timeout(60)
class TaskPoolTest {
    /** Threads may be busy with tasks that wait for what the caller has. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theCallerRunsTasksIfAllThreadsAreBusy(boolean full) {
        CountDownLatch busy = new CountDownLatch(1);
        try (TaskPool tasks = new TaskPool("test", 4, 8)) {
            for (int i = 0; i < (full ? 4 + 8 : 4); i++) {
                assertTrue(tasks.submit(() -> Interrupts.outlast(busy::await)));
            }
            List<Thread> threads = new ArrayList<>();
            Runnable work = () -> threads.add(Thread.currentThread());
            tasks.runAll(List.of(work, work, work));
            assertEquals(List.of(Thread.currentThread(), Thread.currentThread(), Thread.currentThread()), threads);
            busy.countDown();
        }
    }

    @Test
    void theFirstFailureIsThrownWhenAllHaveEnded() {
        AtomicInteger done = new AtomicInteger();
        IllegalStateException one = new IllegalStateException("one");
        IllegalStateException two = new IllegalStateException("two");
        try (TaskPool tasks = new TaskPool("test", 4, 8)) {
            RuntimeException told = assertThrows(
                    RuntimeException.class,
                    () -> tasks.runAll(
                            List.of(done::incrementAndGet, failing(one), done::incrementAndGet, failing(two))));
            assertSame(one, told);
            assertSame(two, told.getSuppressed()[0]);
            assertEquals(2, done.get());
        }
    }

    private static Runnable failing(RuntimeException failure) {
        return () -> {
            throw failure;
        };
    }
}
