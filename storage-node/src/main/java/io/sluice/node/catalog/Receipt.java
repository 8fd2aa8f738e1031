package io.sluice.node.catalog;

import io.sluice.api.node.SstFile;
import io.sluice.model.kv.KvChecksum;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The durable record of an SST that the node has taken: its verified description. The arrays are not copied, and must
 * not be changed.
 *
 * @param sst its id
 * @param indexId the index its KVs belong to
 * @param smallestKey its first key
 * @param largestKey its last key
 * @param fileBytes its length
 * @param sum checksum of its KVs
 * @param place where its KVs are
 */
@SuppressWarnings("ArrayRecordComponent")
public record Receipt(
        UUID sst, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum, Place place) {
    /** The place of an SST's KVs. */
    public enum Place {
        /** In staging, as a file. */
        STAGED,
        /** In the tree, as a file of its own. */
        TREE,
        /** In a small-SST buffer, as Puts. */
        LANDING
    }

    static Receipt of(SstFile sst, Place place) {
        return new Receipt(
                sst.id(), sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum(), place);
    }

    /** The description of the SST, with the current path of its file. */
    public SstFile file(Path path) {
        return new SstFile(sst, path, indexId, smallestKey, largestKey, fileBytes, sum);
    }
}
