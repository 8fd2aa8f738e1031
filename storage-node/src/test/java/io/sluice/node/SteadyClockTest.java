package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");

    @Test
    void goesOnByElapsedTimeFromTheSystemsTime() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
        SteadyClock clock = new SteadyClock(Clock.fixed(NOON, ZoneOffset.UTC), nanos::get);
        assertEquals(NOON, clock.instant());
        // The counter may overflow.
        nanos.addAndGet(Duration.ofMillis(1_500).toNanos());
        assertEquals(NOON.plusMillis(1_500), clock.instant());
        assertEquals(NOON.toEpochMilli() + 1_500, clock.millis());
    }

    @Test
    void nodesTimeTheirLeasesByIt() {
        assertInstanceOf(SteadyClock.class, NodeSettings.defaults().clock());
    }
}
