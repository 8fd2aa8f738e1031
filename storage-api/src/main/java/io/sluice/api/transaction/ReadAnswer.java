package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot has.
 *
 * @param snapshot its id
 * @param version changes when tables are published on the node
 * @param values one per key that was asked for, in that order; null where there is none
 * @param page the KVs that were asked for, or null
 * @param position how far a change log was applied, or null
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
}
