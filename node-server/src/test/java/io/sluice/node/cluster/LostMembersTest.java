package io.sluice.node.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.wire.ClusterBody.Suspect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The order in which the leader looks for tables of members that are left out. */
class LostMembersTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Suspect A = new Suspect("a", "1", false, true);
    private static final Suspect B = new Suspect("b", "2", false, true);

    /** Each look fails, so that both members stay. The clock has passed its greatest value. */
    @Test
    void membersTakeTurns() {
        long start = Long.MAX_VALUE - SECOND;
        Map<String, Long> looked = new HashMap<>(Map.of("1", start, "2", start + 1));
        assertEquals(Optional.empty(), LostMembers.next(List.of(A, B), looked, start + SECOND));
        StringBuilder turns = new StringBuilder();
        for (int i = 3; i < 9; i++) {
            long now = start + i * SECOND;
            LostMembers.next(List.of(A, B), looked, now).ifPresent(next -> {
                turns.append(next.node());
                looked.put(next.token(), now);
            });
        }
        assertEquals("abab", turns.toString());
        assertEquals(Optional.empty(), LostMembers.next(List.of(), looked, start + 60 * SECOND));
    }
}
