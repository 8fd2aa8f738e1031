package io.sluice.api.error;

/**
 * A storage node did not answer for as long as it was waited for. What it had taken durably it still has: another
 * replica may be asked, or the work gone on with when the node is back.
 */
public final class NodeUnreachableException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    private final String node;

    /** A failure to reach the node of that name, such as its address. */
    public NodeUnreachableException(String node, String message, Throwable cause) {
        super(message, cause);
        this.node = node;
    }

    /** The name of the node. */
    public String node() {
        return node;
    }
}
