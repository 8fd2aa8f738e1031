package io.sluice.engine.store;

import java.util.Collection;

/**
 * A file of a column family's LSM tree, with its place among the others.
 *
 * @param name its file name in the database's directory
 * @param level its level; files of level 0, the top, may overlap, those of any other level do not
 * @param bounds its first and last key
 * @param entries its KVs and tombstones. In {@link Family#files} this is exact, or 0 for a file that RocksDB has not
 *     opened yet; {@link Family#countedFiles} counts them exactly. {@link #UNKNOWN} in histories
 * @param fileBytes its length
 * @param seqno sequence number of its newest entry; the newer of two files of level 0 has the higher one
 */
public record LsmFile(String name, int level, KeyBounds bounds, long entries, long fileBytes, long seqno) {
    /** The number of entries of a file whose entries were not counted. */
    public static final long UNKNOWN = -1;

    /** This file with another number of entries. */
    public LsmFile withEntries(long counted) {
        return new LsmFile(name, level, bounds, counted, fileBytes, seqno);
    }

    /** The file number, without leading zeros and the extension. */
    public String label() {
        String bare = name.endsWith(".sst") ? name.substring(0, name.length() - 4) : name;
        int zeros = 0;
        while (zeros < bare.length() - 1 && bare.charAt(zeros) == '0') {
            zeros++;
        }
        return bare.substring(zeros);
    }

    /** The total length of files. */
    public static long bytesOf(Collection<LsmFile> files) {
        long bytes = 0;
        for (LsmFile file : files) {
            bytes += file.fileBytes();
        }
        return bytes;
    }

    @Override
    public String toString() {
        return label() + bounds;
    }
}
