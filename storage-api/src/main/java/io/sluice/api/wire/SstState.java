package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.UUID;

/**
 * How far a node is with an SST.
 *
 * @param id the SST
 * @param state how far
 */
public record SstState(UUID id, State state) {
    /** How far. */
    public enum State {
        /** Arrived and verified, durable; it enters the tree when the import is settled. */
        @JsonProperty("staged")
        STAGED,
        /** In the tree, and the receipt is durable. */
        @JsonProperty("ingested")
        INGESTED,
        /** Not here: to be shipped, or shipped again. */
        @JsonProperty("unknown")
        UNKNOWN
    }
}
