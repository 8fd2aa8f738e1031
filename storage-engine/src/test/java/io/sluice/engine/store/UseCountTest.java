package io.sluice.engine.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UseCountTest {
    private static final int ROUNDS = 2000;
    private static final int THREADS = 4;

    @Test
    void closedGateRefusesCallers() {
        UseCount uses = new UseCount();
        assertTrue(uses.enter());
        uses.exit();
        assertTrue(uses.closeAndAwait());
        assertFalse(uses.closeAndAwait(), "closed twice");
        assertFalse(uses.enter());
        assertTrue(uses.closed());
    }

    /** The resource stands for a native handle, which must be alive for callers inside the gate. */
    @Test
    @Timeout(60)
    void closingWaitsForCallersInside() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                UseCount uses = new UseCount();
                AtomicBoolean alive = new AtomicBoolean(true);
                List<Future<Boolean>> users = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    users.add(pool.submit(() -> useUntilClosed(uses, alive)));
                }
                uses.closeAndAwait();
                alive.set(false);
                for (Future<Boolean> user : users) {
                    assertEquals(true, user.get(), "a caller was inside after the gate was closed");
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static boolean useUntilClosed(UseCount uses, AtomicBoolean alive) {
        boolean good = true;
        while (uses.enter()) {
            good &= alive.get();
            uses.exit();
        }
        return good;
    }
}
