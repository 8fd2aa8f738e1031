package io.sluice.model.error;

/**
 * A storage node did not respond until the deadline. The node keeps what it had taken durably. The caller may ask
 * another replica, or resume the work when the node is back.
 */
public final class NodeUnreachableException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final String node;

    /** @param node name of the node, such as its address */
    public NodeUnreachableException(String node, String message, Throwable cause) {
        super(message, cause);
        this.node = node;
    }

    /** The name of the node, such as its address. */
    public String node() {
        return node;
    }
}
