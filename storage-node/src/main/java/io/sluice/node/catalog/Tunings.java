package io.sluice.node.catalog;

import io.sluice.api.node.TableTuning;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The durable tunings of column families that differ from the default. Usable by several threads. */
public final class Tunings {
    private final RocksStore store;
    private final Map<String, TableTuning> tunings = new ConcurrentHashMap<>();

    /** Reads the tunings of a store. */
    public Tunings(RocksStore store) {
        this.store = store;
        MetaScan.forEach(
                store,
                Keys.bytes(Keys.TUNING),
                (key, value) -> tunings.put(
                        new String(key, StandardCharsets.UTF_8).substring(Keys.TUNING.length()),
                        RecordJson.read(key, value, TableTuning.class)));
    }

    /** The tunings that differ from the default, by column family. */
    public Map<String, TableTuning> all() {
        return Map.copyOf(tunings);
    }

    /** The tuning of a column family. */
    public TableTuning of(String family) {
        return tunings.getOrDefault(family, TableTuning.USUAL);
    }

    /** Sets the tuning of a column family, durably. */
    public synchronized void put(String family, TableTuning tuning) {
        byte[] key = Keys.bytes(Keys.TUNING + family);
        if (tuning.equals(TableTuning.USUAL)) {
            store.commit(new WriteSet().delete(key));
            tunings.remove(family);
        } else {
            store.commit(new WriteSet().put(key, RecordJson.write(tuning)));
            tunings.put(family, tuning);
        }
    }
}
