package io.sluice.it.support;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The system's clock, which a test can put forward. */
public final class MovableClock extends Clock {
    private volatile Duration ahead = Duration.ZERO;

    /** Sets how far it is ahead of the system's clock. */
    public void ahead(Duration other) {
        ahead = other;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }

    @Override
    public Instant instant() {
        return Instant.now().plus(ahead);
    }
}
