package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to keep changes away from keys for a moment, while a reader takes snapshots of several nodes.
 *
 * @param reader id of the reader, by which it repeats and ends the hold
 * @param keys the keys; none: the hold ends
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Hold(@Nullable UUID reader, List<KeySpan> keys) {
    public Hold {
        keys = Lists.orNone(keys);
    }
}
