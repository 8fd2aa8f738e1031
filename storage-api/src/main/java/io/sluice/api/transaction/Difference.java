package io.sluice.api.transaction;

import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;

/**
 * The change of an index's checksum by a transaction; numbers may be negative.
 *
 * @param table id of the table
 * @param ordinal position of the index in the table; 0 is the primary index
 * @param count number of KVs
 * @param bytes total length of keys and values
 * @param crcSum sum of the KVs' hashes, sixteen hexadecimal digits
 */
public record Difference(int table, int ordinal, long count, long bytes, String crcSum) {

    public static Difference of(int table, int ordinal, KvChecksum sum) {
        return new Difference(table, ordinal, sum.count(), sum.bytes(), sum.digest());
    }

    /** Parses the checksum. */
    public KvChecksum sum() {
        try {
            return new KvChecksum(count, bytes, Long.parseUnsignedLong(crcSum, 16));
        } catch (NumberFormatException e) {
            throw new BadInputException("crcSum: not sixteen hexadecimal digits", e);
        }
    }
}
