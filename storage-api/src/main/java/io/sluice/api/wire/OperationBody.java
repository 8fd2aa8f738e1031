package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A long-running operation, as JSON.
 *
 * @param id id chosen by the client that started the operation
 * @param question method and path of the request that started the operation
 * @param state current state
 * @param result response body of the request; null unless the operation succeeded
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OperationBody(
        UUID id, String question, State state, @Nullable Object result) {
    /** The state of an operation. */
    public enum State {
        /** The operation runs or waits for a thread. */
        @JsonProperty("running")
        RUNNING,
        @JsonProperty("succeeded")
        SUCCEEDED,
        @JsonProperty("failed")
        FAILED,
        /** A client cancelled the operation. */
        @JsonProperty("cancelled")
        CANCELLED
    }

    /** Returns a copy without the result, for lists. */
    public OperationBody withoutResult() {
        return new OperationBody(id, question, state, null);
    }
}
