package io.sluice.model.error;

/**
 * A storage node did not respond until the deadline. The node keeps what it had taken durably. The caller may ask
 * another replica, or resume the work when the node is back.
 */
public final class NodeUnreachableException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final String node;
    private final String described;
    private final boolean readAgain;

    /** @param node the node's address, also in messages */
    public NodeUnreachableException(String node, String message, Throwable cause) {
        this(node, node, message, cause);
    }

    /**
     * @param node the node's address
     * @param described the node in messages
     */
    public NodeUnreachableException(String node, String described, String message, Throwable cause) {
        this(node, described, message, cause, false);
    }

    private NodeUnreachableException(
            String node, String described, String message, Throwable cause, boolean readAgain) {
        super(message, cause);
        this.node = node;
        this.described = described;
        this.readAgain = readAgain;
    }

    /** The failure of a read from a node that does not hold the keys: they were moved to another one. */
    public static NodeUnreachableException moved(String node, String described, String message) {
        return new NodeUnreachableException(node, described, message, new IllegalStateException("moved"), true);
    }

    /** The failure of a request to a node without contact to most others: its rows may be outdated for some time. */
    public static NodeUnreachableException outdated(String node, String described, String message) {
        return new NodeUnreachableException(node, described, message, new IllegalStateException("outdated"), true);
    }

    /** Whether the node answers, and the keys can be read soon: where they are now, or when it has contact again. */
    public boolean readAgain() {
        return readAgain;
    }

    /** The node's address. */
    public String node() {
        return node;
    }

    /** The node in messages: its name and address if it is in a cluster. */
    public String described() {
        return described;
    }
}
