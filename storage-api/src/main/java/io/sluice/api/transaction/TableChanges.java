package io.sluice.api.transaction;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of keys of a table's indexes.
 *
 * @param table id of the table
 * @param keys the keys
 * @param values what they are to have, as many; null: nothing any more
 */
public record TableChanges(int table, List<byte[]> keys, List<byte @Nullable []> values) {
    public TableChanges {
        keys = Lists.orNone(keys);
        values = Lists.orNone(values);
    }
}
