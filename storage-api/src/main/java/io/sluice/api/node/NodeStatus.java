package io.sluice.api.node;

/**
 * A node as it introduces itself.
 *
 * @param id the name that range directories know it by: made once with the store, whatever address it has
 * @param version of the program
 * @param nextTableId the least id that a new table can have there
 * @param load how busy it is
 */
public record NodeStatus(String id, String version, int nextTableId, Load load) {
    /**
     * How busy a node is.
     *
     * @param height most files above each other in any table's tree
     * @param files files of all trees
     * @param owedBytes bytes that wait to be merged
     * @param stagedBytes SSTs that have arrived and are not ingested
     * @param diskFreeBytes space left on its disk
     * @param limiter what SSTs wait for just now, in one word as in {@link ShipAnswer.Deferred}; empty when nothing
     */
    public record Load(int height, int files, long owedBytes, long stagedBytes, long diskFreeBytes, String limiter) {}
}
