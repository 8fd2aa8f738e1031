package io.sluice.service.spec;

import io.sluice.api.wire.FieldError;
import java.util.List;

/** A request that cannot be carried out as it is, with all that is wrong with it. */
public final class InvalidSpecException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<FieldError> errors;

    /** At least one error. */
    public InvalidSpecException(List<FieldError> errors) {
        super(errors.get(0).message(), null, false, false);
        this.errors = List.copyOf(errors);
    }

    /** What is wrong, in the order of the request. */
    public List<FieldError> errors() {
        return errors;
    }
}
