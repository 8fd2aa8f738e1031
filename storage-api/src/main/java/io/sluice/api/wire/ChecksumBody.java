package io.sluice.api.wire;

import io.sluice.api.node.IndexChecksum;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checksum of one index, as JSON.
 *
 * @param index the index's name
 * @param count number of KVs
 * @param bytes total length of keys and values
 * @param crcSum sum of the KVs' hashes as sixteen hexadecimal digits, because not every JSON parser keeps 64-bit
 *     integers
 */
public record ChecksumBody(
        @Nullable String index,
        long count,
        long bytes,
        @Nullable String crcSum) {
    public static ChecksumBody of(IndexChecksum sum) {
        return new ChecksumBody(
                sum.index(), sum.sum().count(), sum.sum().bytes(), sum.sum().digest());
    }

    public static List<ChecksumBody> of(List<IndexChecksum> sums) {
        return sums.stream().map(ChecksumBody::of).toList();
    }

    /**
     * Parses the checksum.
     *
     * @throws BadInputException if a member is missing or malformed
     */
    public IndexChecksum toSum() {
        return new IndexChecksum(
                Wire.required("index", index),
                new KvChecksum(count, bytes, Wire.hexLong("crcSum", Wire.required("crcSum", crcSum))));
    }

    public static List<IndexChecksum> toSums(List<ChecksumBody> bodies) {
        return bodies.stream().map(ChecksumBody::toSum).toList();
    }
}
