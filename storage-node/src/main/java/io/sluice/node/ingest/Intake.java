package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.KeyBounds;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The path of one import's SSTs into the tree. Several threads may call {@link #ship} concurrently, but none during a
 * call of another method.
 *
 * <p>An intake starts from durable state: for a new import nothing; for one that is resumed after a restart, its
 * receipts.
 */
interface Intake {
    Progress progress(UUID sst);

    /** Decides whether an announced SST may be sent. Not called for an SST that was taken. */
    Gate.Entry enter(SstFile announced);

    /**
     * Takes an SST, or answers why not.
     *
     * @param place the place from {@link #enter}; null when it was not called. Released when this returns.
     */
    ShipAnswer ship(SstFile sst, Gate.@Nullable Place place);

    /** Takes KVs to be sorted. */
    default ShipAnswer shuffle(ShuffleBatch batch) {
        throw new OperationFailedException(
                "this import takes SSTs, not KVs to be sorted; begin it with the timing SHUFFLED");
    }

    /** Makes taken KVs durable. SSTs with receipts are durable already. */
    default void secure() {}

    /** Calls the visitor with the bounds of all taken SSTs or KVs. */
    void eachTaken(Consumer<KeyBounds> visitor);

    /** Brings all taken SSTs into the tree. */
    IngestReport finalizeIngest();

    /** The current checksums of the table. */
    List<IndexChecksum> present();

    /**
     * Checks that all taken SSTs are in the tree.
     *
     * @throws OperationFailedException when one is missing
     */
    void ensureFinalized();

    /**
     * The digest of the table after the import.
     *
     * @param read digest of the KVs in the tree
     * @param spans the key spans that were read
     */
    default TableDigest readBack(TableDigest read, List<KeySpan> spans) {
        return read;
    }

    /**
     * Called right before the publication.
     *
     * @param imported checksums of the table after the import
     */
    default void publishing(List<IndexChecksum> imported) {}

    /** Called instead of {@link #publishing} when the cluster has decided the publication. */
    default void decided(List<IndexChecksum> imported) {
        publishing(imported);
    }

    /** Called after the publication: resumes compactions, as for any other table. */
    void published();

    /** Called when the client detaches from the import. */
    default void left() {}

    /** Called before the import is undone. */
    void undoing();
}
