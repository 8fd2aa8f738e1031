package io.sluice.node.ingest;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A session of an import on its node, with the calls that a server between importer and node needs.
 *
 * <p>A client that begins an import again makes a new attempt, which supersedes the sessions of earlier ones. From then
 * on their calls throw an {@code OperationFailedException}, and closing them does nothing.
 */
public interface NodeSession extends ImportSession {
    /** The client's id of the import; null for one that cannot be resumed. */
    @Nullable
    UUID importId();

    /** The number of this session's attempt, from 1. */
    long attempt();

    /** Whether a later attempt has begun. Lets a server explain why a call failed. */
    boolean superseded();

    /** When SSTs enter the tree. */
    IngestTiming timing();

    /**
     * Asks whether an SST may be sent, before its file arrives.
     *
     * @param announced the SST; its path is not used
     * @param epoch epoch of the range directory that it was cut for
     */
    Admission admit(SstFile announced, long epoch);

    /** The progress of an SST; for an import that cannot be resumed, only if this process took it. */
    Progress progress(UUID sst);

    /** Tells the node that the client is there, also while another call is running. */
    void renew();

    @Override
    default @Nullable AppendPart append() {
        return null;
    }
}
