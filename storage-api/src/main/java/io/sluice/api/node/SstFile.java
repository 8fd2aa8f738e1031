package io.sluice.api.node;

import io.sluice.api.kv.KvChecksum;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A finished SST on its way to a node. The arrays are not copied: do not change them.
 *
 * @param id names this delivery; a node ingests an id once
 * @param path where the file lies, complete and synced; the node takes it over when it is shipped
 * @param indexId the index its KVs belong to
 * @param smallestKey its first key
 * @param largestKey its last key
 * @param fileBytes length of the file
 * @param sum what its KVs add up to
 * @param samples some of its keys, for {@link SampledKeys the blocks} that the node reads back
 */
@SuppressWarnings("ArrayRecordComponent")
public record SstFile(
        UUID id,
        Path path,
        int indexId,
        byte[] smallestKey,
        byte[] largestKey,
        long fileBytes,
        KvChecksum sum,
        List<byte[]> samples) {
    public SstFile {
        samples = List.copyOf(samples);
    }

    /** An SST of which the node reads the first block back. */
    public SstFile(
            UUID id, Path path, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum) {
        this(id, path, indexId, smallestKey, largestKey, fileBytes, sum, List.of());
    }

    /** The same SST in another file. */
    public SstFile at(Path other) {
        return new SstFile(id, other, indexId, smallestKey, largestKey, fileBytes, sum, samples);
    }
}
