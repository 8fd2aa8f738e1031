package io.sluice.api.node;

/**
 * A node's identity and load.
 *
 * @param id the node's id in range directories; generated once with the store and independent of its address
 * @param version version of the program
 * @param nextTableId the smallest id that the node can give to a new table
 * @param load current load
 */
public record NodeStatus(String id, String version, int nextTableId, Load load) {
    /**
     * The current load of a node.
     *
     * @param height the largest number of files that overlap at any one key, over all trees
     * @param files number of files in all trees
     * @param owedBytes compaction debt in bytes
     * @param stagedBytes bytes of SSTs that have arrived but are not ingested
     * @param diskFreeBytes free space on the node's disk
     * @param limiter one word for the resource that SSTs wait for now, as in {@link ShipAnswer.Deferred}; empty: none
     */
    public record Load(int height, int files, long owedBytes, long stagedBytes, long diskFreeBytes, String limiter) {
        /**
         * Adds the load of another node: sums, the greatest height, the least free space, and the first limiter.
         *
         * @param name name of the other node, which precedes its limiter
         */
        public Load plus(Load other, String name) {
            return new Load(
                    Math.max(height, other.height),
                    files + other.files,
                    owedBytes + other.owedBytes,
                    stagedBytes + other.stagedBytes,
                    Math.min(diskFreeBytes, other.diskFreeBytes),
                    limiter.isEmpty() && !other.limiter.isEmpty() ? name + ": " + other.limiter : limiter);
        }
    }
}
