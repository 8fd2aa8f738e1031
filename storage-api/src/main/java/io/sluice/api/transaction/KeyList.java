package io.sluice.api.transaction;

import java.util.List;

/**
 * Keys of a table's indexes, whose values a transaction reads.
 *
 * @param table id of the table
 * @param keys not copied: do not change them
 */
public record KeyList(int table, List<byte[]> keys) {
    public KeyList {
        keys = Lists.orNone(keys);
    }
}
