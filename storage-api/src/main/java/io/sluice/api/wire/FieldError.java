package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with one member of a request.
 *
 * @param field the member, as a JSON pointer (RFC 6901); null: the request as a whole
 * @param code in one word
 * @param message what is wrong and what to do
 * @param retriable whether the same request may succeed later
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FieldError(@Nullable String field, String code, String message, boolean retriable) {
    /** Something that only another request can mend. */
    public static FieldError of(String field, String code, String message) {
        return new FieldError(field, code, message, false);
    }
}
