package io.sluice.node;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreErrors;
import io.sluice.model.file.DurableFiles;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.PendingDrop;
import io.sluice.node.ingest.Imports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Recovers a store after a process that ended in the middle of its work. Undoes imports that were not published, in any
 * phase, unless they can be resumed; finishes drops; removes column families and staged files that the catalog does not
 * list. Recovery that is itself interrupted runs again from the start.
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
     * Recovers a store before any client uses it.
     *
     * @return the steps taken, one sentence each, for the user
     */
    List<String> run() {
        recoverImports();
        finishDrops();
        removeUnknownFamilies();
        removeUnknownStaging();
        return List.copyOf(done);
    }

    private void recoverImports() {
        done.addAll(imports.recover());
    }

    private void finishDrops() {
        for (PendingDrop drop : catalog.drops().pending()) {
            store.dropFamily(drop.family());
            catalog.drops().finish(drop);
            done.add("finished dropping table " + drop.table());
        }
    }

    private void removeUnknownFamilies() {
        List<String> smallSsts = catalog.imports().all().stream()
                .flatMap(kept -> store.smallSstFamilies(kept.id()).stream())
                .toList();
        for (String family : store.dataFamilies()) {
            if (!catalog.knows(family) && !smallSsts.contains(family)) {
                store.dropFamily(family);
                done.add("removed column family " + family + ", which belonged to no table");
            }
        }
    }

    private void removeUnknownStaging() {
        List<Path> kept =
                catalog.imports().all().stream().map(imports::stagingOf).toList();
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
