package io.sluice.api.transaction;

import java.util.Arrays;
import java.util.List;

/**
 * Some KVs in order.
 *
 * @param keys their keys
 * @param values their values, as many
 * @param more whether others follow
 */
public record Page(List<byte[]> keys, List<byte[]> values, boolean more) {
    public Page {
        keys = Lists.orNone(keys);
        values = Lists.orNone(values);
    }

    /**
     * First key behind what was read.
     *
     * @param end of the span that was asked for
     */
    public byte[] readTo(byte[] end) {
        if (!more) {
            return end;
        }
        byte[] last = keys.get(keys.size() - 1);
        return Arrays.copyOf(last, last.length + 1);
    }
}
