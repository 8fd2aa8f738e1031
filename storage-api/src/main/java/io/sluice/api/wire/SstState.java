package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.UUID;

/**
 * The state of an SST on a node.
 *
 * @param id id of the SST
 * @param state current state
 */
public record SstState(UUID id, State state) {
    /** The state of an SST. */
    public enum State {
        /** The SST is verified and durable in staging; it enters the tree when the import is finalized. */
        @JsonProperty("staged")
        STAGED,
        /** The SST is in the tree, and its receipt is durable. */
        @JsonProperty("ingested")
        INGESTED,
        /** The node does not have the SST; the client ships it, or ships it again. */
        @JsonProperty("unknown")
        UNKNOWN
    }
}
