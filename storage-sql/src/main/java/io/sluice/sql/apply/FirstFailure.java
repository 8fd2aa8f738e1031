package io.sluice.sql.apply;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keeps the failure with the lowest line number. Thread-safe. */
final class FirstFailure {
    private final AtomicReference<@Nullable LineException> earliest = new AtomicReference<>();

    void record(LineException failure) {
        earliest.accumulateAndGet(failure, (a, b) -> a == null || (b != null && b.line() < a.line()) ? b : a);
    }

    /** Whether a line comes after a failed line, so that it need not be applied. */
    boolean isBefore(long line) {
        LineException failure = earliest.get();
        return failure != null && failure.line() < line;
    }

    /** Throws the failure, if there is one. */
    void rethrow() {
        LineException failure = earliest.get();
        if (failure != null) {
            throw failure;
        }
    }
}
