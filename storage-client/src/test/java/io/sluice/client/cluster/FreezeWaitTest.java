package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.ChangeRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Refusals of the cluster's log, of which only another command's freeze is waited for. */
class FreezeWaitTest {
    private static final int MOST = 5;

    private final AtomicInteger tries = new AtomicInteger();
    private final AtomicInteger pauses = new AtomicInteger();

    private void change(int refused, boolean frozen) {
        ClusterLog.whileFrozen(
                () -> {
                    if (tries.incrementAndGet() <= refused) {
                        throw new ChangeRefusedException("refused", frozen);
                    }
                },
                () -> pauses.get() < MOST,
                pauses::incrementAndGet);
    }

    @Test
    void tableThatWasDroppedOrMovedIsRefusedAtOnce() {
        assertThrows(ChangeRefusedException.class, () -> change(1, false));
        assertEquals(1, tries.get());
        assertEquals(0, pauses.get());
    }

    @Test
    void anotherCommandsFreezeIsWaitedFor() {
        change(3, true);
        assertEquals(4, tries.get());
        assertEquals(3, pauses.get());
    }

    @Test
    void freezeThatDoesNotEndIsReportedAtTheEnd() {
        assertThrows(ChangeRefusedException.class, () -> change(Integer.MAX_VALUE, true));
        assertEquals(MOST + 1, tries.get());
    }

    /** The nodes are planned for anew: there is nothing to wait for. */
    @Test
    void repairPlansAgainAtOnceAfterAMove() {
        List<String> lines = new ArrayList<>();
        new Repair(Map.of(), new Lines(lines)).tryAgain(new ChangeRefusedException("ranges were moved"), 1);
        assertEquals(List.of(), lines);
    }

    /** The lines of a command that changes nothing. */
    private record Lines(List<String> lines) implements Repair.Effects {
        @Override
        public void change(ClusterChange change) {}

        @Override
        public void passing(long bytes) {}

        @Override
        public void copied(ReplicaPlan.Copy copy) {}

        @Override
        public void log(String line) {
            lines.add(line);
        }

        @Override
        public String address(String node) {
            return node;
        }

        @Override
        public String described(String node) {
            return node;
        }
    }
}
