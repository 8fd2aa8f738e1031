package io.sluice.engine.compact;

/**
 * A file of an LSM tree, with its place among the others.
 *
 * @param name its name, unique in the tree
 * @param level its level; files of level 0 may overlap, those of any other level do not
 * @param bounds its first and last key
 * @param entries KVs and tombstones in it
 * @param fileBytes its length
 * @param seqno its age: of two files of level 0, the one with the larger number holds the newer KVs
 */
public record LsmFile(String name, int level, KeyBounds bounds, long entries, long fileBytes, long seqno) {
    /** The file number, without leading zeros and the extension. */
    String label() {
        String bare = name.endsWith(".sst") ? name.substring(0, name.length() - 4) : name;
        int zeros = 0;
        while (zeros < bare.length() - 1 && bare.charAt(zeros) == '0') {
            zeros++;
        }
        return bare.substring(zeros);
    }

    @Override
    public String toString() {
        return label() + bounds;
    }
}
