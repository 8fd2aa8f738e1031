package io.sluice.engine.store;

/**
 * An SST of a column family's LSM tree. The arrays are not copied, and must not be changed.
 *
 * @param name its file name in the database's directory
 * @param level its level; 0 is the top, where files may overlap
 * @param smallestKey its first key
 * @param largestKey its last key, inclusive
 * @param fileBytes its length
 * @param entries its KVs and tombstones by the tree's metadata: exact, or 0 for a file that RocksDB has not opened yet.
 *     {@link Family#countedFiles} counts them exactly
 * @param largestSeqno sequence number of its newest entry; the newer of two files of level 0 has the higher one
 */
@SuppressWarnings("ArrayRecordComponent")
public record LiveSst(
        String name,
        int level,
        byte[] smallestKey,
        byte[] largestKey,
        long fileBytes,
        long entries,
        long largestSeqno) {
    /** This SST with the exact number of its KVs and tombstones. */
    LiveSst withEntries(long counted) {
        return new LiveSst(name, level, smallestKey, largestKey, fileBytes, counted, largestSeqno);
    }
}
