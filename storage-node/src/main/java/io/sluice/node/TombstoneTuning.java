package io.sluice.node;

import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.TombstoneConversions;
import io.sluice.node.catalog.RunningImports;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.catalog.Tunings;

/**
 * Sets for which tables scans write range tombstones over runs of deleted keys: those tuned to do so, while no import
 * fills their column family. A range tombstone goes into the memtable. If it overlapped files about to be ingested,
 * RocksDB would first flush it to a file above those that the import expects at the bottom.
 */
final class TombstoneTuning {
    private final RocksStore store;
    private final RunningImports imports;
    private final Tunings tunings;

    TombstoneTuning(RocksStore store, RunningImports imports) {
        this.store = store;
        this.imports = imports;
        tunings = new Tunings(store);
    }

    /** Applies the stored tunings, and from now on reapplies them whenever an import begins or ends. */
    void begin() {
        tunings.all().keySet().forEach(this::apply);
        imports.onChange(family -> {
            if (!tunings.of(family).equals(TableTuning.USUAL)) {
                apply(family);
            }
        });
    }

    TuningStatus tune(TableRecord table, TableTuning tuning) {
        tunings.put(table.family(), tuning);
        apply(table.family());
        return status(table);
    }

    TuningStatus status(TableRecord table) {
        TombstoneConversions done = store.tombstoneConversions();
        return new TuningStatus(
                tunings.of(table.family()), !imports.anyInto(table.family()), done.made(), done.abandoned());
    }

    /** Applies a tuning under the catalog lock, so that no import begins or ends in between. */
    private void apply(String name) {
        imports.underLock(() -> {
            Family family = store.find(name);
            if (family != null) {
                family.convertTombstones(
                        imports.anyInto(name) ? 0 : tunings.of(name).tombstoneConversion());
            }
        });
    }

    /** Forgets the tuning of a dropped column family, whose name is never used again. */
    void dropped(String family) {
        tunings.put(family, TableTuning.USUAL);
    }
}
