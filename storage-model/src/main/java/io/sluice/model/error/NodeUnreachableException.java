package io.sluice.model.error;

/**
 * A storage node did not respond until the deadline. The node keeps what it had taken durably. The caller may ask
 * another replica, or resume the work when the node is back.
 */
public final class NodeUnreachableException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final String node;
    private final boolean moved;

    /** @param node name of the node, such as its address */
    public NodeUnreachableException(String node, String message, Throwable cause) {
        this(node, message, cause, false);
    }

    private NodeUnreachableException(String node, String message, Throwable cause, boolean moved) {
        super(message, cause);
        this.node = node;
        this.moved = moved;
    }

    /** The failure of a read from a node that does not hold the keys: they were moved to another one. */
    public static NodeUnreachableException moved(String node, String message) {
        return new NodeUnreachableException(node, message, new IllegalStateException("moved"), true);
    }

    /** Whether the node answers but does not hold the keys any more, or does not know yet that it holds them. */
    public boolean moved() {
        return moved;
    }

    /** The name of the node, such as its address. */
    public String node() {
        return node;
    }
}
