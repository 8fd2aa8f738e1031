package io.sluice.engine.admit;

/**
 * The load of a node at an admission request. Every figure includes SSTs that are admitted and have not arrived.
 * Otherwise all requests between two arrivals would be admitted on the same figures.
 *
 * @param height sublevels over the SST's own keys, gaps included ({@code SublevelMap.top}, which uses up levels), plus
 *     admitted SSTs that have not arrived there
 * @param files SSTs on the node
 * @param compactionBytes bytes that compactions still have to rewrite: those of files at and above the start height of
 *     compactions, over all tables ({@code SublevelMap.bytesFrom})
 * @param stagedBytes bytes admitted and not ingested yet
 * @param diskFreeBytes free space, minus bytes admitted and not written yet
 * @param stall the write stall of RocksDB
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
