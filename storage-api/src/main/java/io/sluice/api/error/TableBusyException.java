package io.sluice.api.error;

/**
 * A table is held by transactions and cannot be changed just now. Nothing was done; the same request may succeed later.
 */
public final class TableBusyException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public TableBusyException(String message) {
        super(message);
    }
}
