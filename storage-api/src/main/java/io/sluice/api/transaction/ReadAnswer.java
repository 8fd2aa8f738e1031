package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The response to a {@link ReadRequest}.
 *
 * @param snapshot id of the snapshot
 * @param version version of the node's tables; changes when a table is published
 * @param values one value per requested key, in order; null for a missing key
 * @param page the requested KVs, or null
 * @param position applied position of the requested change log, or null
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ReadAnswer(
        UUID snapshot,
        String version,
        List<byte @Nullable []> values,
        @Nullable Page page,
        @Nullable LogPosition position) {
    public ReadAnswer {
        values = Lists.orNone(values);
    }

    /** Returns a copy with another position of the change log. */
    public ReadAnswer at(@Nullable LogPosition other) {
        return new ReadAnswer(snapshot, version, values, page, other);
    }
}
