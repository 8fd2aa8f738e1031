package io.sluice.api.transaction;

import java.util.Arrays;
import java.util.List;

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
