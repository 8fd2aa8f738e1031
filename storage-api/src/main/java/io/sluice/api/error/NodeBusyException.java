package io.sluice.api.error;

/**
 * A storage node answers, and took nothing for as long as it was waited for: its disk is full, or its LSM tree does not
 * keep up. What it had taken durably it still has, so that an import can go on when the node has room.
 */
public final class NodeBusyException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public NodeBusyException(String message) {
        super(message);
    }
}
