package io.sluice.node;

import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.catalog.Tunings;
import io.sluice.node.store.Family;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.TombstoneConversions;

/**
 * Whose scans put range tombstones over runs of deleted keys, and when: the tables that were told to, while nothing is
 * imported into their column family. A range tombstone goes into the memtable; one that lies where files are about to
 * be ingested would have to be flushed first, to a file above those that the import expects at the bottom.
 */
final class TombstoneTuning {
    private final RocksStore store;
    private final Catalog catalog;
    private final Tunings tunings;

    TombstoneTuning(RocksStore store, Catalog catalog) {
        this.store = store;
        this.catalog = catalog;
        tunings = new Tunings(store);
    }

    /** Sets what the store says, and from now on follows the imports that begin and end. */
    void begin() {
        tunings.all().keySet().forEach(this::apply);
        catalog.whenImportsChange(family -> {
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
                tunings.of(table.family()), !catalog.importing(table.family()), done.made(), done.givenUp());
    }

    /** What is asked for may be forbidden the moment after: the catalog, whose imports decide, has to stand still. */
    private void apply(String name) {
        catalog.standingStill(() -> {
            Family family = store.find(name);
            if (family != null) {
                family.convertTombstones(
                        catalog.importing(name) ? 0 : tunings.of(name).tombstoneConversion());
            }
        });
    }

    /** A column family is gone; its name is never used again. */
    void dropped(String family) {
        tunings.put(family, TableTuning.USUAL);
    }
}
