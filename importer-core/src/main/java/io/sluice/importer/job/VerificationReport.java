package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an import should have brought into the store, and what is there, by index and by spans of keys.
 *
 * @param table its name
 * @param readBack whether everything was read back; if not, the store's own sums were compared
 * @param indexes in the table's order
 */
public record VerificationReport(String table, boolean readBack, List<IndexCheck> indexes) {
    public VerificationReport {
        indexes = List.copyOf(indexes);
    }

    /** Whether everything is as it should be. */
    public boolean ok() {
        return indexes.stream().allMatch(IndexCheck::ok);
    }

    /** What was found about KVs. */
    public enum State {
        /** They are as they should be. */
        OK,
        /** There are fewer. */
        MISSING,
        /** There are more. */
        EXTRA,
        /** There are as many and they differ, or they cannot be read. */
        DAMAGED
    }

    /**
     * One index.
     *
     * @param index its name
     * @param expected what it should hold
     * @param found what it holds, as far as it can be read
     * @param buckets its keys in spans, ascending
     */
    public record IndexCheck(String index, KvChecksum expected, KvChecksum found, List<Bucket> buckets) {
        public IndexCheck {
            buckets = List.copyOf(buckets);
        }

        /** Whether it is as it should be. */
        public boolean ok() {
            return expected.equals(found) && buckets.stream().allMatch(bucket -> bucket.state() == State.OK);
        }
    }

    /**
     * A span of keys.
     *
     * @param start its first key in hexadecimal digits
     * @param end the first key behind it
     * @param state what was found
     * @param expected what it should hold; null when only the whole index was compared
     * @param found what it holds; nothing when it cannot be read
     * @param problem why it cannot be read, or null
     * @param sources the first inputs with rows in the span, when it is not as it should be
     * @param moreSources how many other inputs have some, as far as they were counted
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
     * An input.
     *
     * @param name how messages call it
     * @param rows how many of its rows have keys in the span
     */
    public record Source(String name, long rows) {}
}
