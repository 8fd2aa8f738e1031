package io.sluice.model.error;

/**
 * A storage node did not respond until the deadline. The node keeps what it had taken durably. The caller may ask
 * another replica, or resume the work when the node is back.
 */
public final class NodeUnreachableException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final String node;
    private final boolean readAgain;

    /** @param node name of the node, such as its address */
    public NodeUnreachableException(String node, String message, Throwable cause) {
        this(node, message, cause, false);
    }

    private NodeUnreachableException(String node, String message, Throwable cause, boolean readAgain) {
        super(message, cause);
        this.node = node;
        this.readAgain = readAgain;
    }

    /** The failure of a read from a node that does not hold the keys: they were moved to another one. */
    public static NodeUnreachableException moved(String node, String message) {
        return new NodeUnreachableException(node, message, new IllegalStateException("moved"), true);
    }

    /** The failure of a request to a node without contact to most others: its rows may be outdated for some time. */
    public static NodeUnreachableException outdated(String node, String message) {
        return new NodeUnreachableException(node, message, new IllegalStateException("outdated"), true);
    }

    /** Whether the node answers, and the keys can be read soon: where they are now, or when it has contact again. */
    public boolean readAgain() {
        return readAgain;
    }

    /** The name of the node, such as its address. */
    public String node() {
        return node;
    }
}
