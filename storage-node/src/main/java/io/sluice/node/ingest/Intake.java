package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.node.catalog.ImportRecord;
import java.util.List;

/**
 * How the SSTs of one import get into the tree. {@link #ship} and {@link #shuffle} may be called by several threads,
 * but by none while one of the others is.
 */
interface Intake {
    /** The import as the catalog has it. */
    ImportRecord running();

    /** Takes an SST, or says why not. */
    ShipAnswer ship(SstFile sst);

    /** Takes KVs to be sorted here, or says why not. */
    default ShipAnswer shuffle(ShuffleBatch batch) {
        throw new OperationFailedException("batch " + batch.id() + " was refused: the import of table "
                + running().table().name() + " was begun for SSTs; begin it for KVs that the node sorts");
    }

    /** Brings all that was taken into the tree. */
    IngestReport settle();

    /** What the table holds now. */
    List<IndexSum> present();

    /**
     * Checks that nothing that was taken is missing from the tree.
     *
     * @throws IllegalStateException when something is
     */
    void ensureSettled();

    /** The table is published: whatever the intake had begun to look after goes on as with any other table. */
    void published();

    /** The import is about to be undone. */
    void undoing();
}
