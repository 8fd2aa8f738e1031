package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * A finished SST to ship to a node. The arrays are not copied: do not change them.
 *
 * @param id idempotency key: a node ingests an SST id once
 * @param path the complete file, synced if the session {@linkplain ImportSession#needsSyncedFiles needs that}; shipping
 *     transfers its ownership to the node
 * @param indexId the index its KVs belong to
 * @param smallestKey first key
 * @param largestKey last key
 * @param fileBytes length of the file
 * @param sum checksum of its KVs
 * @param samples {@link SampledKeys sampled keys}, whose blocks the node reads back
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

    /** An SST without sampled keys; the node reads back its first block. */
    public SstFile(
            UUID id, Path path, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum) {
        this(id, path, indexId, smallestKey, largestKey, fileBytes, sum, List.of());
    }

    /** Returns the same SST with another path. */
    public SstFile at(Path other) {
        return new SstFile(id, other, indexId, smallestKey, largestKey, fileBytes, sum, samples);
    }
}
