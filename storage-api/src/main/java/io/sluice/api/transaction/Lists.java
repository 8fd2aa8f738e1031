package io.sluice.api.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies lists of JSON bodies; a missing list is empty. */
final class Lists {
    private Lists() {}

    static <T extends @Nullable Object> List<T> orNone(@Nullable List<T> list) {
        // Elements may be null, which List.copyOf rejects.
        return list == null ? List.of() : Collections.unmodifiableList(new ArrayList<>(list));
    }
}
