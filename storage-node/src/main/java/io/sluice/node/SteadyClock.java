package io.sluice.node;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * A clock for timeouts: it begins with the system's time, and goes on by {@link System#nanoTime}. So a change of the
 * system's time ends no lease early or late. Its time is as wrong as the system's was at its beginning, and lacks what
 * the machine was suspended since. Thread-safe.
 */
public final class SteadyClock extends Clock {
    private final LongSupplier nanoTime;
    private final Instant begin;
    private final long beginNanos;

    /** Begins with the system's time now. */
    public SteadyClock() {
        this(Clock.systemUTC(), System::nanoTime);
    }

    SteadyClock(Clock system, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        begin = system.instant();
        beginNanos = nanoTime.getAsLong();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("timeouts have no time zone");
    }

    @Override
    public Instant instant() {
        return begin.plusNanos(nanoTime.getAsLong() - beginNanos);
    }
}
