package io.sluice.model.kv;

import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The encoders of all indexes of one table, primary first. Not thread-safe: each worker has its own, because the
 * encoders share one CRC-32 object.
 */
public final class RowEncoder {
    private final List<IndexEncoder> indexes;

    public RowEncoder(Table table) {
        CRC32 crc = new CRC32();
        List<IndexEncoder> encoders = new ArrayList<>();
        for (IndexLayout layout : IndexLayout.ofAll(table)) {
            encoders.add(
                    layout.ordinal == 0
                            ? new PrimaryIndexEncoder(layout, crc)
                            : new SecondaryIndexEncoder(layout, crc));
        }
        indexes = List.copyOf(encoders);
    }

    /** The encoders in the order of {@code Table.indexes()}. */
    public List<IndexEncoder> indexes() {
        return indexes;
    }
}
