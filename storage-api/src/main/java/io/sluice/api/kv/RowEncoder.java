package io.sluice.api.kv;

import io.sluice.api.schema.Table;
import java.util.List;

/** The encoders of all indexes of one table, primary first. Immutable, usable by many threads. */
@SuppressWarnings("DoNotCallSuggester")
public final class RowEncoder {
    private final List<IndexEncoder> indexes;

    public RowEncoder(Table table) {
        throw new UnsupportedOperationException(table.name());
    }

    public List<IndexEncoder> indexes() {
        return indexes;
    }
}
