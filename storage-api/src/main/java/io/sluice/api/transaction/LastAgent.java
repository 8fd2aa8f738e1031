package io.sluice.api.transaction;

/**
 * The node whose commit decides a distributed transaction. The other participants ask it for the outcome, by its id.
 *
 * @param id the node's id; any other node refuses the request
 * @param address address at which the coordinator reaches the node: {@code http://HOST:PORT} or
 *     {@code https://HOST:PORT}; a hint that does not identify the node
 */
public record LastAgent(String id, String address) {
    @Override
    public String toString() {
        return "node " + id + " (" + address + ")";
    }
}
