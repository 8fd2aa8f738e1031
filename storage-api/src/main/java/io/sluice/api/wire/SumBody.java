package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.node.IndexSum;
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
public record SumBody(
        @Nullable String index,
        long count,
        long bytes,
        @Nullable String crcSum) {
    public static SumBody of(IndexSum sum) {
        return new SumBody(
                sum.index(), sum.sum().count(), sum.sum().bytes(), sum.sum().digest());
    }

    public static List<SumBody> of(List<IndexSum> sums) {
        return sums.stream().map(SumBody::of).toList();
    }

    /**
     * The sum that this says.
     *
     * @throws BadInputException when something is missing or no number
     */
    public IndexSum toSum() {
        return new IndexSum(
                Wire.required("index", index),
                new KvSum(count, bytes, Wire.hexLong("crcSum", Wire.required("crcSum", crcSum))));
    }

    public static List<IndexSum> toSums(List<SumBody> bodies) {
        return bodies.stream().map(SumBody::toSum).toList();
    }
}
