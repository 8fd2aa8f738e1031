package io.sluice.node;

import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.PendingDrop;
import io.sluice.node.ingest.Imports;
import io.sluice.node.store.DurableFiles;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What opening a store does about a process that ended in the middle of something: imports that were not published are
 * undone, whatever phase they were in, unless they can be resumed; drops that were begun are finished; what nobody
 * knows is removed. Cut off itself, it is simply done again.
 */
final class Recovery {
    private final RocksStore store;
    private final Catalog catalog;
    private final Imports imports;
    private final Path staging;
    private final List<String> done = new ArrayList<>();

    Recovery(RocksStore store, Catalog catalog, Imports imports, Path staging) {
        this.store = store;
        this.catalog = catalog;
        this.imports = imports;
        this.staging = staging;
    }

    /**
     * Recovers a store that nobody uses yet.
     *
     * @return what was done, one sentence each in a user's words
     */
    List<String> run() {
        settleImports();
        finishDrops();
        removeUnknownFamilies();
        removeUnknownStaging();
        return List.copyOf(done);
    }

    private void settleImports() {
        done.addAll(imports.recover());
    }

    private void finishDrops() {
        for (PendingDrop drop : catalog.drops()) {
            store.dropFamily(drop.family());
            catalog.finish(drop);
            done.add("finished dropping table " + drop.table());
        }
    }

    private void removeUnknownFamilies() {
        List<String> landing = catalog.imports().stream()
                .flatMap(kept -> store.landingFamilies(kept.id()).stream())
                .toList();
        for (String family : store.dataFamilies()) {
            if (!catalog.knows(family) && !landing.contains(family)) {
                store.dropFamily(family);
                done.add("removed column family " + family + ", which belonged to no table");
            }
        }
    }

    private void removeUnknownStaging() {
        List<Path> kept = catalog.imports().stream().map(imports::stagingOf).toList();
        try {
            for (Path orphan : DurableFiles.list(staging)) {
                if (kept.contains(orphan)) {
                    continue;
                }
                DurableFiles.deleteTree(orphan);
                done.add("removed staged files of an import that is over: " + orphan.getFileName());
            }
        } catch (IOException e) {
            throw StoreErrors.failed("clean " + staging, e);
        }
    }
}
