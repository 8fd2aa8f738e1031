package io.sluice.sql;

import io.sluice.api.node.TableTuning;
import io.sluice.node.NodeSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * One way to run a store. What statements answer must not depend on it.
 *
 * @param cached with a row cache, too small for all rows
 * @param converting scans put range tombstones over deleted keys
 * @param bySpan hierarchies are deleted by spans of keys
 * @param parallel writes of transactions run in the background
 */
record StoreMode(boolean cached, boolean converting, boolean bySpan, boolean parallel) {
    private static final long CACHE_BYTES = 1 << 20;
    private static final int TOMBSTONES = 3;
    /** Few KVs: so that deletes of several rows take several steps. */
    private static final int CHUNK_KVS = 40;

    /** Every way. */
    static List<StoreMode> all() {
        List<StoreMode> modes = new ArrayList<>();
        for (int bits = 0; bits < 16; bits++) {
            modes.add(new StoreMode((bits & 1) > 0, (bits & 2) > 0, (bits & 4) > 0, (bits & 8) > 0));
        }
        return modes;
    }

    NodeSettings settings() {
        return NodeSettings.defaults().withRowCacheBytes(cached ? CACHE_BYTES : 0);
    }

    SqlSettings sql() {
        return SqlSettings.defaults()
                .with(new SqlSettings.Deletes(bySpan, CHUNK_KVS))
                .with(new SqlSettings.Parallel(3, 7));
    }

    TableTuning tuning() {
        return converting ? new TableTuning(TOMBSTONES) : TableTuning.USUAL;
    }
}
