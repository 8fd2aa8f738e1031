package io.sluice.node.admit;

/**
 * How a node stands when an SST asks to enter. What was admitted and is still on its way counts as if it had arrived,
 * in every figure: else all that ask between two arrivals would be let in on the same figures.
 *
 * @param height sublevels taken over the SST's own keys, gaps included ({@code SublevelMap.top}: levels run out by it),
 *     plus admitted SSTs on their way there
 * @param files SSTs on the node
 * @param compactionBytes bytes that merges still have to rewrite: those of files standing where merges start, over all
 *     tables ({@code SublevelMap.bytesFrom})
 * @param stagedBytes bytes admitted and not ingested yet
 * @param diskFreeBytes free space, less what is admitted and not written yet
 * @param stall what RocksDB does to writes
 * @param nowMillis the time, by the node's clock
 */
public record NodeLoad(
        int height,
        long files,
        long compactionBytes,
        long stagedBytes,
        long diskFreeBytes,
        WriteStall stall,
        long nowMillis) {}
