package io.sluice.model.error;

/**
 * The cluster's log took a change, and it had no effect on any node, since it contradicts an earlier one. The same
 * change is refused again; another one, made from the cluster as it is now, may take effect.
 */
public final class ChangeRefusedException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public ChangeRefusedException(String message) {
        super(message);
    }
}
