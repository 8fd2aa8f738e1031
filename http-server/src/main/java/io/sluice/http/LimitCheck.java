package io.sluice.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/** Checks all limits of a server and reports all invalid ones together. */
public final class LimitCheck {
    private final List<String> wrong = new ArrayList<>();

    /** Checks that a limit is positive. */
    @CanIgnoreReturnValue
    public LimitCheck positive(String name, long value) {
        if (value < 1) {
            wrong.add(name);
        }
        return this;
    }

    /**
     * Ends the check.
     *
     * @throws BadInputException if some limits are not positive; the message lists them
     */
    public void done() {
        if (!wrong.isEmpty()) {
            throw new BadInputException("limits of the server: " + String.join(", ", wrong) + ": must be positive");
        }
    }
}
