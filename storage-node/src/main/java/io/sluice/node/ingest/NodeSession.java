package io.sluice.node.ingest;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A session as the node itself has it: with what a server needs that stands between the importer and the node.
 *
 * <p>Whoever begins an import again makes a new attempt at it, and sessions of earlier ones are superseded: from then
 * on their calls throw an {@code OperationFailedException} and closing them does nothing.
 */
public interface NodeSession extends ImportSession {
    /** What names the import; null for one that cannot be resumed. */
    @Nullable
    UUID importId();

    /** Which attempt at the import this session belongs to, from 1. */
    long attempt();

    /** Whether a later attempt is under way. Tells a server why a call failed. */
    boolean superseded();

    /** When SSTs enter the tree, as the import was begun. */
    IngestTiming timing();

    /**
     * Asks whether an SST may come, before its file is here.
     *
     * @param announced the SST; its path says nothing yet
     * @param epoch of the directory that it was cut for
     */
    Admission admit(SstFile announced, long epoch);

    /** How far the node is with an SST; known for resumable imports, and for what this node itself took otherwise. */
    Progress progress(UUID sst);
}
