package io.sluice.api.node;

import io.sluice.api.schema.Table;
import java.util.List;

/**
 * One import into one new table, as the node sees it: begin, ship SSTs, settle, check, publish. Closing a session that
 * was not published undoes it. {@link #ship} may be called by several threads; the other methods by one.
 */
public interface ImportSession extends AutoCloseable {
    /** The table with the ids its keys must carry. */
    Table table();

    /**
     * Hands a finished SST over. When the node takes it, it has verified length, span and checksums, and keeps it:
     * staged until {@link #settle}, or ingested at once, as the session's {@link IngestTiming} says.
     *
     * @throws io.sluice.api.error.OperationFailedException when the file is not what it says it is
     */
    ShipAnswer ship(SstFile sst);

    /**
     * Brings everything shipped so far into the table's LSM tree (atomically, if the session ingests at the end) and
     * merges until no two files hold the same keys.
     */
    IngestReport settle();

    /**
     * What the table holds now, per index, as far as that is known without reading it: entries by the tree's own
     * metadata, sums from the SSTs that were verified on arrival.
     */
    List<IndexSum> present();

    /** Reads everything back, as {@link NodeClient#digest} does. */
    TableDigest readBack();

    /** Makes the table visible, atomically and durably; the session is over. */
    void publish(List<IndexSum> imported);

    /** Undoes the import unless it was published. */
    @Override
    void close();
}
