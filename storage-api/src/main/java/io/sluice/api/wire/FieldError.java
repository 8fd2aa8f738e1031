package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * An error in one member of a request.
 *
 * @param field JSON pointer to the member (RFC 6901); null: the whole request
 * @param code one word for programs
 * @param message what failed: why; what to do
 * @param retriable whether the same request may succeed later
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FieldError(@Nullable String field, String code, String message, boolean retriable) {
    /** An error that is not retriable. */
    public static FieldError of(String field, String code, String message) {
        return new FieldError(field, code, message, false);
    }
}
