package io.sluice.api.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists of bodies, where what is left out is none. */
final class Lists {
    private Lists() {}

    static <T extends @Nullable Object> List<T> orNone(@Nullable List<T> list) {
        // Values may be null, which List.copyOf does not bear.
        return list == null ? List.of() : Collections.unmodifiableList(new ArrayList<>(list));
    }
}
