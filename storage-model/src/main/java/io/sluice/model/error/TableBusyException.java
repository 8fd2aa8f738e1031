package io.sluice.model.error;

/**
 * Transactions hold locks on the table, so it cannot be changed now. Nothing was done; the same request may succeed
 * later.
 */
public final class TableBusyException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public TableBusyException(String message) {
        super(message);
    }
}
