package io.sluice.api.transaction;

import io.sluice.api.node.RangeDirectory;
import io.sluice.model.schema.Table;
import java.util.List;

/**
 * A table and the nodes that hold its ranges.
 *
 * @param table the table
 * @param directory key ranges and their nodes; never empty
 */
public record Placement(Table table, RangeDirectory directory) {
    /** Ids of the nodes that hold a key; reads try them in this order. */
    public List<String> holders(byte[] key) {
        return directory.ranges().get(directory.rangeOf(key)).nodes();
    }
}
