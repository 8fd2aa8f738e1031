package io.sluice.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/** Looks at all limits of a server before it complains of any. */
public final class LimitCheck {
    private final List<String> wrong = new ArrayList<>();

    /** Looks at one. */
    @CanIgnoreReturnValue
    public LimitCheck positive(String name, long value) {
        if (value < 1) {
            wrong.add(name);
        }
        return this;
    }

    /**
     * That was the last.
     *
     * @throws BadInputException when some were not positive; the message lists all of those
     */
    public void done() {
        if (!wrong.isEmpty()) {
            throw new BadInputException("limits of the server: " + String.join(", ", wrong) + ": must be positive");
        }
    }
}
