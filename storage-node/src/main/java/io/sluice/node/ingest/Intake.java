package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.node.compact.KeyBounds;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How the SSTs of one import get into the tree. {@link #ship} may be called by several threads, but by none while one
 * of the others is.
 *
 * <p>An intake is made from what is durable: of an import that has just begun that is nothing; of one that is resumed
 * after a restart, what its receipts say.
 */
interface Intake {
    /** How far it is with an SST. */
    Progress progress(UUID sst);

    /** Lets an SST in whose file is still to come, or not. One that was taken is not asked about. */
    Gate.Entry enter(SstFile announced);

    /**
     * Takes an SST, or says why not.
     *
     * @param place what {@link #enter} gave; null: not asked yet. It is left, or the SST has arrived, when this
     *     returns.
     */
    ShipAnswer ship(SstFile sst, Gate.@Nullable Place place);

    /** Takes KVs to be sorted. */
    default ShipAnswer shuffle(ShuffleBatch batch) {
        throw new OperationFailedException(
                "this import takes SSTs, not KVs to be sorted; begin it with the timing SHUFFLED");
    }

    /** Makes sure that what was taken survives a power cut; what is taken by receipts does anyway. */
    default void secure() {}

    /** Tells the bounds of everything that was taken. */
    void eachTaken(Consumer<KeyBounds> visitor);

    /** Brings all that was taken into the tree. */
    IngestReport finalizeIngest();

    /** What the table holds now. */
    List<IndexChecksum> present();

    /**
     * Checks that nothing that was taken is missing from the tree.
     *
     * @throws OperationFailedException when something is
     */
    void ensureFinalized();

    /** The table is published: whatever the intake had begun to look after goes on as with any other table. */
    void published();

    /** Nobody works on the import any more, for now. */
    default void left() {}

    /** The import is about to be undone. */
    void undoing();
}
