package io.sluice.node.lsm;

/**
 * The size of a column family's LSM tree at one moment, and what it took to get there.
 *
 * @param height most files that share a key: what a read of that key may have to look into
 * @param files live files
 * @param l0Files those in RocksDB's level 0
 * @param bytes length of the live files
 * @param bytesIngested what came in from outside since the history began, or since the family was made
 * @param bytesWritten what was written to disk for it in the same time
 */
public record LsmFigures(int height, int files, int l0Files, long bytes, long bytesIngested, long bytesWritten) {
    /** Of a tree that never held anything. */
    public static final LsmFigures NONE = new LsmFigures(0, 0, 0, 0, 0, 0);

    /** How often a byte that came in was written; 1 as long as none did. */
    public double writeAmplification() {
        return bytesIngested == 0 ? 1 : (double) bytesWritten / bytesIngested;
    }
}
