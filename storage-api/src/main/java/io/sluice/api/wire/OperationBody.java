package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A long-running operation.
 *
 * @param id chosen by the client that started it
 * @param question the request that started it
 * @param state how far it is
 * @param result what the request is answered with; null unless it succeeded
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OperationBody(
        UUID id, String question, State state, @Nullable Object result) {
    /** How far an operation is. */
    public enum State {
        /** It runs, or waits for a thread. */
        @JsonProperty("running")
        RUNNING,
        @JsonProperty("succeeded")
        SUCCEEDED,
        @JsonProperty("failed")
        FAILED,
        /** A client cancelled it. */
        @JsonProperty("cancelled")
        CANCELLED
    }

    /** The same without its result, for lists. */
    public OperationBody withoutResult() {
        return new OperationBody(id, question, state, null);
    }
}
