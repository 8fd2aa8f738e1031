package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** Tries again after a failure, and returns the number of waits. */
    private int waits(SluiceException failure, int tries) {
        Operator operator = new Operator(pauses);
        Repair repair = new Repair(Map.of(), operator);
        repair.tryAgain(repair.failed("t", failure), tries);
        return pauses.get();
    }

    /** Ranges that were moved are planned for anew at once. */
    @Test
    void repairWaitsForOtherCommandsOnly() {
        assertEquals(0, waits(new ChangeRefusedException("ranges were moved"), 1));
        assertEquals(0, waits(new OperationFailedException("a restart of the node has ended this copy"), 1));
        assertEquals(1, waits(new ChangeRefusedException("another command has frozen the table", true), 1));
        assertEquals(2, waits(new FencedException("another command has taken over"), 1));
    }

    @Test
    void lastFailureNamesTheCommandToRepeat() {
        OperationFailedException last =
                assertThrows(OperationFailedException.class, () -> waits(new FencedException("lost"), 5));
        assertEquals(
                "table t: lost; run 'sluice cluster rebalance' again: it goes on where this run has ended",
                last.getMessage());
        assertThrows(BadInputException.class, () -> waits(new BadInputException("another table"), 5));
    }

    /** A table that was counted is dropped before the counts are written. */
    @Test
    void countsOfTheTablesThatAreLeftAreWritten() {
        RangeDirectory places = new RangeDirectory(3, List.of(new RangeDirectory.Range(new byte[0], List.of("a"))));
        ClusterChange.Moved stays = ClusterChange.Moved.of(1, places, List.of());
        ClusterChange.Moved dropped = ClusterChange.Moved.of(2, places, List.of());
        List<List<ClusterChange.Moved>> written = new ArrayList<>();
        Operator operator = new Operator(pauses) {
            @Override
            public void change(ClusterChange change) {
                written.add(change.tables());
                if (change.tables().contains(dropped)) {
                    throw new ChangeRefusedException("the table was dropped meanwhile");
                }
            }
        };
        ClusterChange last = new Repair(Map.of(), operator)
                .write(() -> ClusterChange.removing(
                        List.of(), written.isEmpty() ? List.of(stays, dropped) : List.of(stays), 0));
        assertEquals(List.of(stays), Objects.requireNonNull(last).tables());
        assertEquals(List.of(List.of(stays, dropped), List.of(stays)), written);
        assertEquals(0, pauses.get());
    }

    @Test
    void ownersNameTheirCommand() {
        assertEquals(
                "another 'sluice cluster repair'",
                ClusterChange.Freeze.another(ClusterChange.Freeze.newOwner("cluster repair")));
        assertEquals("another command", ClusterChange.Freeze.another("5f0c"));
    }

    /** A command that changes nothing and counts its waits. */
    private static class Operator implements Repair.Effects {
        private final AtomicInteger pauses;

        Operator(AtomicInteger pauses) {
            this.pauses = pauses;
        }

        @Override
        public String command() {
            return "cluster rebalance";
        }

        @Override
        public void pause(long millis) {
            pauses.incrementAndGet();
        }

        @Override
        public void change(ClusterChange change) {}

        @Override
        public void passing(long bytes) {}

        @Override
        public void copied(ReplicaPlan.Copy copy) {}

        @Override
        public void log(String line) {}

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
