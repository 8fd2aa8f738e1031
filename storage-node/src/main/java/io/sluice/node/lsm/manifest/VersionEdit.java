package io.sluice.node.lsm.manifest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of a database's files and column families.
 *
 * @param family id of the column family it is about; 0 is the default one
 * @param addsFamily name of the column family that it makes, or null
 * @param dropsFamily whether it drops the column family
 * @param comparator name of the order of the family's keys, or null when it does not say
 * @param advancesLog whether the family's memtables up to some write-ahead log are in files since then: a flush
 * @param stating whether it belongs to the summary that a MANIFEST begins with, instead of being a change
 * @param added files that came
 * @param removed files that went
 */
record VersionEdit(
        int family,
        @Nullable String addsFamily,
        boolean dropsFamily,
        @Nullable String comparator,
        boolean advancesLog,
        boolean stating,
        List<AddedFile> added,
        List<RemovedFile> removed) {

    /**
     * A file that came. The arrays are not copied: do not change them.
     *
     * @param level its level
     * @param number makes its name
     * @param bytes its length
     * @param smallest its first user key
     * @param largest its last user key
     * @param createdSeconds when it was written, in seconds since 1970-01-01 UTC; 0 when nobody knows
     */
    @SuppressWarnings("ArrayRecordComponent")
    record AddedFile(int level, long number, long bytes, byte[] smallest, byte[] largest, long createdSeconds) {}

    /**
     * A file that went.
     *
     * @param level the level that it was in
     * @param number makes its name
     */
    record RemovedFile(int level, long number) {}
}
