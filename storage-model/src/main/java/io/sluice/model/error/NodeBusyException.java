package io.sluice.model.error;

/**
 * A storage node responded but took no data until the deadline: its disk is full, or compaction of its LSM tree is
 * behind. The node keeps what it had taken durably, so that the import can be resumed when the node has room.
 */
public final class NodeBusyException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public NodeBusyException(String message) {
        super(message);
    }
}
