package io.sluice.node.apply;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Of all lines that failed the first. Usable by several threads. */
final class FirstFailure {
    private final AtomicReference<@Nullable LineException> earliest = new AtomicReference<>();

    void met(LineException failure) {
        earliest.accumulateAndGet(failure, (a, b) -> a == null || (b != null && b.line() < a.line()) ? b : a);
    }

    /** Whether a line lies behind one that failed: it need not be applied. */
    boolean isBefore(long line) {
        LineException failure = earliest.get();
        return failure != null && failure.line() < line;
    }

    /** Throws it, if there is one. */
    void rethrow() {
        LineException failure = earliest.get();
        if (failure != null) {
            throw failure;
        }
    }
}
