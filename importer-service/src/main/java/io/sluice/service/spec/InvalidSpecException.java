package io.sluice.service.spec;

import io.sluice.api.wire.FieldError;
import java.util.List;

/** The request is invalid; the exception has all its errors. */
public final class InvalidSpecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<FieldError> errors;

    /** @param errors at least one error */
    public InvalidSpecException(List<FieldError> errors) {
        super(errors.get(0).message(), null, false, false);
        this.errors = List.copyOf(errors);
    }

    /** The errors, in the order of the request. */
    public List<FieldError> errors() {
        return errors;
    }
}
