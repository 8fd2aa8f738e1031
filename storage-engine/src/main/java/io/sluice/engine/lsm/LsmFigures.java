package io.sluice.engine.lsm;

/**
 * The size of a column family's LSM tree, and the bytes written for it so far.
 *
 * @param height largest number of files over a key, which a read of that key may have to search
 * @param files number of live files
 * @param l0Files number of live files in RocksDB's level 0
 * @param bytes length of the live files
 * @param bytesIngested bytes that arrived from outside since the history or the family began
 * @param bytesWritten bytes written to disk in the same time
 */
public record LsmFigures(int height, int files, int l0Files, long bytes, long bytesIngested, long bytesWritten) {
    /** Bytes written per byte that arrived; 1 before the first. */
    public double writeAmplification() {
        return bytesIngested == 0 ? 1 : (double) bytesWritten / bytesIngested;
    }
}
