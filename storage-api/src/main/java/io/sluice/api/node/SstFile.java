package io.sluice.api.node;

import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A finished SST to ship to a node. The arrays are not copied: do not change them.
 *
 * @param id idempotency key: a node ingests an SST id once
 * @param bytes its bytes; if they are in a file, shipping transfers its ownership to the node
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
        SstBytes bytes,
        int indexId,
        byte[] smallestKey,
        byte[] largestKey,
        long fileBytes,
        KvChecksum sum,
        List<byte[]> samples) {
    public SstFile {
        samples = List.copyOf(samples);
    }

    public SstFile(
            UUID id,
            Path path,
            int indexId,
            byte[] smallestKey,
            byte[] largestKey,
            long fileBytes,
            KvChecksum sum,
            List<byte[]> samples) {
        this(id, new SstBytes.OnDisk(path), indexId, smallestKey, largestKey, fileBytes, sum, samples);
    }

    /** An SST in a file, without sampled keys; the node reads back its first block. */
    public SstFile(
            UUID id, Path path, int indexId, byte[] smallestKey, byte[] largestKey, long fileBytes, KvChecksum sum) {
        this(id, path, indexId, smallestKey, largestKey, fileBytes, sum, List.of());
    }

    /**
     * The file of an SST that is in one, synced if the session {@linkplain ImportSession#takesFiles takes files}.
     *
     * @throws IllegalStateException if the SST is in none
     */
    public Path path() {
        if (bytes instanceof SstBytes.OnDisk file) {
            return file.path();
        }
        throw new IllegalStateException("SST " + id + " is in no file");
    }

    /** Returns the same SST with another path. */
    public SstFile at(Path other) {
        return with(new SstBytes.OnDisk(other));
    }

    /** Returns the same SST with its bytes elsewhere. */
    public SstFile with(SstBytes other) {
        return new SstFile(id, other, indexId, smallestKey, largestKey, fileBytes, sum, samples);
    }

    /** The checksum of all SSTs of each index, in the table's order. */
    public static List<IndexChecksum> sums(Table table, List<SstFile> ssts) {
        List<IndexChecksum> sums = new ArrayList<>();
        for (Index index : table.indexes()) {
            KvChecksum sum = ssts.stream()
                    .filter(sst -> sst.indexId() == index.def().id())
                    .map(SstFile::sum)
                    .reduce(KvChecksum.EMPTY, KvChecksum::plus);
            sums.add(new IndexChecksum(index.def().name(), sum));
        }
        return sums;
    }
}
