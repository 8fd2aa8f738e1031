package io.sluice.engine.lsm;

import io.sluice.engine.store.LsmFile;
import java.util.HexFormat;

/**
 * The shape of an SST for pictures of the LSM tree. Keys are lower-case hex, whose text order is the unsigned order of
 * the bytes.
 *
 * @param name its file name in the database's directory
 * @param level its RocksDB level; 0 is the top, where files may overlap
 * @param smallest its first key
 * @param largest its last key, inclusive
 * @param bytes its length
 * @param entries number of its KVs and tombstones, or {@link #UNKNOWN}
 */
public record SstShape(String name, int level, String smallest, String largest, long bytes, long entries) {
    /** The number of entries when it was not counted. */
    public static final long UNKNOWN = -1;

    /** The shape of a live SST. */
    public static SstShape of(LsmFile sst, long entries) {
        return of(sst.name(), sst.level(), sst.bounds().smallest(), sst.bounds().largest(), sst.fileBytes(), entries);
    }

    /** The shape of a live SST, without the number of its entries. */
    public static SstShape of(LsmFile sst) {
        return of(sst, UNKNOWN);
    }

    /** The shape with these members. Does not keep the arrays. */
    public static SstShape of(String name, int level, byte[] smallest, byte[] largest, long bytes, long entries) {
        HexFormat hex = HexFormat.of();
        return new SstShape(name, level, hex.formatHex(smallest), hex.formatHex(largest), bytes, entries);
    }

    /** Whether the bounds of the two files overlap. */
    public boolean overlaps(SstShape other) {
        return smallest.compareTo(other.largest) <= 0 && other.smallest.compareTo(largest) <= 0;
    }
}
