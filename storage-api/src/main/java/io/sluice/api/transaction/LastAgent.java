package io.sluice.api.transaction;

/**
 * The node whose own commit decides a transaction on several nodes. The others ask it, by its id, what became of the
 * transaction.
 *
 * @param id the node's id; any other node refuses the question
 * @param address where the coordinator reaches it: {@code http://HOST:PORT} or {@code https://HOST:PORT}; a hint, by
 *     which no node is known
 */
public record LastAgent(String id, String address) {
    @Override
    public String toString() {
        return "node " + id + " (" + address + ")";
    }
}
