package io.sluice.api.transaction;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KvChecksum;

/**
 * How much more an index adds up to; numbers may be negative.
 *
 * @param table id of the table
 * @param ordinal place of the index in it, from 0 for the primary
 * @param count how many KVs
 * @param bytes length of all keys and values
 * @param crcSum their mixed CRCs added up, sixteen hexadecimal digits
 */
public record Difference(int table, int ordinal, long count, long bytes, String crcSum) {
    /** The difference of one index. */
    public static Difference of(int table, int ordinal, KvChecksum sum) {
        return new Difference(table, ordinal, sum.count(), sum.bytes(), sum.digest());
    }

    /** The numbers. */
    public KvChecksum sum() {
        try {
            return new KvChecksum(count, bytes, Long.parseUnsignedLong(crcSum, 16));
        } catch (NumberFormatException e) {
            throw new BadInputException("crcSum: not sixteen hexadecimal digits", e);
        }
    }
}
