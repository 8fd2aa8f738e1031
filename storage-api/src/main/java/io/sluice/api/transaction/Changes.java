package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One node's branch of a transaction.
 *
 * @param snapshot id of the snapshot that the branch read from
 * @param changes the written keys
 * @param read the key spans that the branch read; the commit fails if another transaction has changed them
 * @param differences changes of the indexes' checksums; only on the first node that holds a range
 * @param log position of a change log that this transaction commits, or null
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Changes(
        UUID snapshot,
        List<TableChanges> changes,
        List<KeySpan> read,
        List<Difference> differences,
        @Nullable LogPosition log) {
    public Changes {
        changes = Lists.orNone(changes);
        read = Lists.orNone(read);
        differences = Lists.orNone(differences);
    }

    /**
     * Writes to the indexes of a table.
     *
     * @param table id of the table
     * @param keys the written keys
     * @param values the new values, as many as keys; null deletes the key
     */
    public record TableChanges(int table, List<byte[]> keys, List<byte @Nullable []> values) {
        public TableChanges {
            keys = Lists.orNone(keys);
            values = Lists.orNone(values);
        }
    }

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
}
