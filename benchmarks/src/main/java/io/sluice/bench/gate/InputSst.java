package io.sluice.bench.gate;

import io.sluice.api.node.SstFile;
import io.sluice.model.kv.KvChecksum;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/**
 * An SST that lies ready, as its line in the list says. The arrays are not copied: do not change them.
 *
 * @param id names it; the file is called so
 * @param indexId index of its KVs
 * @param smallestKey its first key
 * @param largestKey its last key
 * @param fileBytes its length
 * @param kvs how many KVs
 * @param kvBytes their bytes
 * @param crcSum what they add up to
 * @param firstRow the first row of the buffer it was sorted in
 * @param endRow the row behind the last one
 */
@SuppressWarnings("ArrayRecordComponent")
record InputSst(
        UUID id,
        int indexId,
        byte[] smallestKey,
        byte[] largestKey,
        long fileBytes,
        long kvs,
        long kvBytes,
        long crcSum,
        long firstRow,
        long endRow) {
    static InputSst of(SstFile sst, long firstRow, long endRow) {
        return new InputSst(
                sst.id(),
                sst.indexId(),
                sst.smallestKey(),
                sst.largestKey(),
                sst.fileBytes(),
                sst.sum().count(),
                sst.sum().bytes(),
                sst.sum().crcSum(),
                firstRow,
                endRow);
    }

    String fileName() {
        return id + ".sst";
    }

    KvChecksum sum() {
        return new KvChecksum(kvs, kvBytes, crcSum);
    }

    /** The same in that directory. */
    SstFile in(Path directory) {
        return new SstFile(id, directory.resolve(fileName()), indexId, smallestKey, largestKey, fileBytes, sum());
    }

    boolean spans(byte[] key) {
        return Arrays.compareUnsigned(smallestKey, key) <= 0 && Arrays.compareUnsigned(key, largestKey) <= 0;
    }
}
