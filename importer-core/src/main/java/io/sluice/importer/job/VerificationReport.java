package io.sluice.importer.job;

import io.sluice.model.kv.KvChecksum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The expected and the found KVs of an import, by index and by spans of keys.
 *
 * @param table name of the table
 * @param readBack whether everything was read back; if not, the store's own checksums were compared
 * @param indexes the indexes in the table's order
 */
public record VerificationReport(String table, boolean readBack, List<IndexCheck> indexes) {
    public VerificationReport {
        indexes = List.copyOf(indexes);
    }

    /** Whether all indexes match. */
    public boolean ok() {
        return indexes.stream().allMatch(IndexCheck::ok);
    }

    /** The result of comparing the KVs of a bucket. */
    public enum State {
        /** Found KVs equal expected KVs. */
        OK,
        /** Fewer KVs than expected. */
        MISSING,
        /** More KVs than expected. */
        EXTRA,
        /** As many KVs as expected, with differences; or KVs that cannot be read. */
        DAMAGED
    }

    /**
     * The result for one index.
     *
     * @param index name of the index
     * @param expected checksum of the expected KVs
     * @param found checksum of the readable KVs
     * @param buckets the results by spans of keys, ascending
     */
    public record IndexCheck(String index, KvChecksum expected, KvChecksum found, List<Bucket> buckets) {
        public IndexCheck {
            buckets = List.copyOf(buckets);
        }

        /** Whether the index matches. */
        public boolean ok() {
            return expected.equals(found) && buckets.stream().allMatch(bucket -> bucket.state() == State.OK);
        }
    }

    /**
     * The result for one span of keys.
     *
     * @param start first key of the span in hexadecimal digits
     * @param end first key after the span in hexadecimal digits
     * @param state result of the comparison
     * @param expected checksum of the expected KVs; null if only the whole index was compared
     * @param found checksum of the found KVs; empty if they cannot be read
     * @param problem why the span cannot be read, or null
     * @param sources the first inputs with rows in the span, if it does not match
     * @param moreSources number of further inputs with rows in the span, as far as they were counted
     */
    public record Bucket(
            String start,
            String end,
            State state,
            @Nullable KvChecksum expected,
            KvChecksum found,
            @Nullable String problem,
            List<Source> sources,
            int moreSources) {
        public Bucket {
            sources = List.copyOf(sources);
        }
    }

    /**
     * An input with rows in a span.
     *
     * @param name the input's name in messages
     * @param rows number of its rows with keys in the span
     */
    public record Source(String name, long rows) {}
}
