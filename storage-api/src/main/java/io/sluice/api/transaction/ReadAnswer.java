package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
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

    /**
     * A page of KVs in key order.
     *
     * @param keys keys, ascending
     * @param values values, as many as keys
     * @param more whether more KVs follow in the span
     */
    public record Page(List<byte[]> keys, List<byte[]> values, boolean more) {
        public Page {
            keys = Lists.orNone(keys);
            values = Lists.orNone(values);
        }

        /**
         * Returns the exclusive end of the span that was read.
         *
         * @param end end of the requested span
         */
        public byte[] readTo(byte[] end) {
            if (!more) {
                return end;
            }
            byte[] last = keys.get(keys.size() - 1);
            return Arrays.copyOf(last, last.length + 1);
        }
    }
}
