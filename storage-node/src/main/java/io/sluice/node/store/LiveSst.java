package io.sluice.node.store;

/**
 * An SST that is part of a column family's LSM tree now. {@link CountedSst} adds how many KVs it holds. The arrays are
 * not copied: do not change them.
 *
 * @param name its file name in the database's directory
 * @param level its level; 0 is the top, where files may overlap
 * @param smallestKey its first key
 * @param largestKey its last key, inclusive
 * @param fileBytes its length
 * @param entries its KVs and tombstones as the tree's metadata has them: exact, or 0 for a file that RocksDB has not
 *     opened yet; {@link CountedSst} is exact always
 * @param largestSeqno number of its newest change; tells which of two files of level 0 is the newer one
 */
@SuppressWarnings("ArrayRecordComponent")
public record LiveSst(
        String name,
        int level,
        byte[] smallestKey,
        byte[] largestKey,
        long fileBytes,
        long entries,
        long largestSeqno) {}
