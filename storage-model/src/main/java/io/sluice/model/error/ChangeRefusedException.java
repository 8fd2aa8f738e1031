package io.sluice.model.error;

/**
 * The cluster's log took a change, and it had no effect on any node, since it contradicts an earlier one. The same
 * change is refused again, unless the table is frozen; another one, made from the cluster as it is now, may take
 * effect.
 */
public final class ChangeRefusedException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final boolean frozen;

    public ChangeRefusedException(String message) {
        this(message, false);
    }

    /** @param frozen whether another command has frozen the table */
    public ChangeRefusedException(String message, boolean frozen) {
        super(message);
        this.frozen = frozen;
    }

    /** Whether another command has frozen the table: the same change may take effect when that command ends. */
    public boolean frozen() {
        return frozen;
    }
}
