package io.sluice.node.http;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a node speaks to others, when it waits for what they decide about transactions.
 *
 * @param token what they want to see, or null; never printed
 * @param trusted certificates to trust instead of the system's, in PEM; null: the system's
 */
public record PeerAccess(@Nullable String token, @Nullable Path trusted) {
    /** Nodes without a token. */
    public static final PeerAccess OPEN = new PeerAccess(null, null);

    @Override
    public String toString() {
        return "(access to other nodes)";
    }
}
