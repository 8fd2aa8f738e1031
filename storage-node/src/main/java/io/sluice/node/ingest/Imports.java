package io.sluice.node.ingest;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.schema.TableDef;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.shuffle.ShuffleSettings;

/** Begins imports, and undoes those that were not published. Usable by several threads. */
public final class Imports {
    private final ImportContext context;
    private final Gate gate;

    public Imports(ImportContext context) {
        this.context = context;
        gate = new Gate(
                context.settings(), context.store(), context.compactor(), context.diskFreeBytes(), context.clock());
    }

    /**
     * Begins an import: a record in the catalog first, so that whatever is made afterwards is found again, then a
     * column family and a staging directory.
     *
     * @param timing when SSTs enter the tree; in a column family that holds other tables always at the end
     * @throws io.sluice.api.error.BadInputException when the table's name is taken or its parent is missing
     */
    public ImportSession begin(TableDef def, IngestTiming timing) {
        ImportRecord begun = context.catalog().begin(def);
        try {
            if (begun.ownsFamily()) {
                context.store().createFamily(begun.family());
            }
            TableKeys keys = new TableKeys(begun.table());
            Staging staging = Staging.create(context.staging(), begun.id(), keys);
            return new NodeImport(context, this, intake(timing, begun, staging));
        } catch (RuntimeException e) {
            try {
                undo(begun);
            } catch (RuntimeException undoing) {
                e.addSuppressed(undoing);
            }
            throw e;
        }
    }

    private Intake intake(IngestTiming timing, ImportRecord begun, Staging staging) {
        return switch (timing) {
            case AT_END -> new AtEndIntake(context, begun, staging);
            case ON_ARRIVAL ->
                begun.ownsFamily()
                        ? new OnArrivalIntake(context, gate, begun, staging)
                        : new AtEndIntake(context, begun, staging);
            case SHUFFLED -> new ShuffleIntake(context, begun, staging, ShuffleSettings.defaults());
        };
    }

    /**
     * Removes every trace of an import, in the reverse order of its making; the catalog's record goes last, so that an
     * undoing that is cut off is done again. Costs the same whatever was imported: KVs in a column family of another
     * table stay there as a ghost's, which nobody reads.
     */
    public void undo(ImportRecord running) {
        if (running.ownsFamily()) {
            context.store().dropFamily(running.family());
        }
        context.store().landingFamilies(running.id()).forEach(context.store()::dropFamily);
        Staging.remove(context.staging(), running.id());
        context.catalog().abandon(running);
    }
}
