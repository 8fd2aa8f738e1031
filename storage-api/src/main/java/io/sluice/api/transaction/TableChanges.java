package io.sluice.api.transaction;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the indexes of a table.
 *
 * @param table id of the table
 * @param keys the written keys
 * @param values the new values, as many as keys; null deletes the key
 */
public record TableChanges(int table, List<byte[]> keys, List<byte @Nullable []> values) {
    public TableChanges {
        keys = Lists.orNone(keys);
        values = Lists.orNone(values);
    }
}
