package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.IndexChecksum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one index adds up to.
 *
 * @param index the index's name
 * @param count how many KVs
 * @param bytes length of all keys and values
 * @param crcSum their mixed CRCs added up, sixteen hexadecimal digits: not every JSON reader keeps 64-bit numbers
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
     * The sum that this says.
     *
     * @throws BadInputException when something is missing or no number
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
