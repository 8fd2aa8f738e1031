package io.sluice.node.catalog;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SstFile;
import java.nio.file.Path;
import java.util.UUID;

/**
 * What is remembered of an SST that was taken: all that was said about it on arrival, and found to be true. The arrays
 * are not copied: do not change them.
 *
 * @param sst its id
 * @param indexId the index its KVs belong to
 * @param smallestKey its first key
 * @param largestKey its last key
 * @param fileBytes its length
 * @param sum what its KVs add up to
 * @param place where it went
 */
@SuppressWarnings("ArrayRecordComponent")
public record Receipt(
        UUID sst, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum, Place place) {
    /** Where the KVs of an SST went. */
    public enum Place {
        /** Nowhere yet: it waits in staging. */
        STAGED,
        /** Into the tree, as a file of its own. */
        TREE,
        /** Into a landing column family, as Puts. */
        LANDING
    }

    static Receipt of(SstFile sst, Place place) {
        return new Receipt(
                sst.id(), sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum(), place);
    }

    /** The SST as it was shipped, with its file where it lies now. */
    public SstFile file(Path path) {
        return new SstFile(sst, path, indexId, smallestKey, largestKey, fileBytes, sum);
    }
}
