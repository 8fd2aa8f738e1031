package io.sluice.api.transaction;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.schema.Table;
import java.util.List;

/**
 * A table and where it lies.
 *
 * @param table the table
 * @param directory who holds which keys; never empty
 */
public record Placement(Table table, RangeDirectory directory) {
    /** Ids of the nodes that hold a key, the one to read from first. */
    public List<String> holders(byte[] key) {
        return directory.ranges().get(directory.rangeOf(key)).nodes();
    }
}
