package io.sluice.engine.lsm.manifest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a database's files and column families.
 *
 * @param family id of its column family; 0 is the default one
 * @param addsFamily name of the column family that it creates, or null
 * @param dropsFamily whether it drops the column family
 * @param comparator name of the family's comparator, or null when not given
 * @param advancesLog whether it marks memtables of older write-ahead logs as flushed
 * @param stating whether it belongs to the initial state of a MANIFEST, and is not a change
 * @param added the added files
 * @param removed numbers in the names of the removed files
 */
record VersionEdit(
        int family,
        @Nullable String addsFamily,
        boolean dropsFamily,
        @Nullable String comparator,
        boolean advancesLog,
        boolean stating,
        List<AddedFile> added,
        List<Long> removed) {

    /**
     * An added file. The arrays are not copied, and must not be changed.
     *
     * @param level its level
     * @param number number in its name
     * @param bytes its length
     * @param smallest its first user key
     * @param largest its last user key
     * @param createdSeconds creation time in seconds since 1970-01-01 UTC; 0 when unknown
     */
    @SuppressWarnings("ArrayRecordComponent")
    record AddedFile(int level, long number, long bytes, byte[] smallest, byte[] largest, long createdSeconds) {}
}
