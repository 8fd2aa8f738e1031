package io.sluice.importer.job;

import io.sluice.api.node.IngestTiming;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an import. A plain value that opens no resources.
 *
 * @param format format of the input
 * @param resources what the import may use
 * @param rejects limit and place of rejected records
 * @param mode how KVs go to the node
 * @param onConflict policy for rows with the same key
 * @param append whether the rows go into an existing table, all at once at the end; for mode merge only
 * @param verification how much is read back before the table is published
 * @param sstWriter the code that writes SSTs
 */
public record ImportSettings(
        InputFormat format,
        Resources resources,
        Rejects rejects,
        Mode mode,
        ConflictPolicy onConflict,
        boolean append,
        Verification verification,
        SstFormat.Writer sstWriter) {
    /**
     * Resources of an import.
     *
     * @param workDirectory directory of spilled runs and unfinished SSTs. It must exist and belong to this import
     *     alone; the caller removes the files that a failed import leaves
     * @param memoryBytes memory budget of all buffers together
     * @param workers number of threads that decode, sort and merge
     * @param bytesPerSecond most stored bytes of input per second, on average; 0: no limit
     */
    public record Resources(Path workDirectory, long memoryBytes, int workers, long bytesPerSecond) {}

    /**
     * Limit and place of rejected records.
     *
     * @param limit most rejected records with which the import still succeeds
     * @param bundle settings of the reject bundle, or null
     */
    public record Rejects(RejectLimit limit, @Nullable BundleSettings bundle) {
        /** No record may be rejected. */
        public static final Rejects NONE = new Rejects(RejectLimit.NONE, null);
    }

    /** Settings of an import into a new table that fails when two rows have the same key. */
    public ImportSettings(
            InputFormat format, Resources resources, Rejects rejects, Mode mode, Verification verification) {
        this(format, resources, rejects, mode, ConflictPolicy.ERROR, false, verification, SstFormat.Writer.JAVA);
    }

    /** Least memory budget: 64 MiB. Smaller buffers cost the disk mostly seeks. */
    public static final long MIN_MEMORY_BYTES = 64L << 20;

    /** Longest record: 4 MiB. A longer one is more likely an unclosed quote. */
    public static final int MAX_RECORD_BYTES = 4 << 20;

    /** Modes of delivering KVs to the node. */
    public enum Mode {
        /** The importer merges everything first, and ships SSTs that do not overlap. */
        MERGE(IngestTiming.AT_END),
        /** The importer ships every sorted buffer at once, and the node merges. Needs no local disk. */
        DIRECT(IngestTiming.ON_ARRIVAL),
        /**
         * The importer reads the input twice: first for keys that split the table evenly, then to send KVs to the node
         * of each part, which sorts them on its disk. Needs no local disk.
         */
        TWO_PASS(IngestTiming.SHUFFLED);

        private final IngestTiming timing;

        Mode(IngestTiming timing) {
            this.timing = timing;
        }

        /** When the node ingests the KVs. */
        public IngestTiming timing() {
            return timing;
        }

        /** The mode's name in options and reports. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Checks before the table is published. */
    public enum Verification {
        /** Counts and checksums of all steps agree, and every SST's blocks match their checksums. */
        SUMS,
        /** All of {@link #SUMS}; also every KV is read back from the store and checked against its own CRC. */
        FULL
    }

    /** Checks the settings together and reports all violations at once. */
    public void validate() {
        List<String> problems = new ArrayList<>();
        long memoryBytes = resources.memoryBytes;
        if (memoryBytes < MIN_MEMORY_BYTES) {
            problems.add("--memory must be at least " + MIN_MEMORY_BYTES / 1024 / 1024 + "m");
        }
        long heapBytes = Runtime.getRuntime().maxMemory();
        if (memoryBytes > heapBytes / 10 * 9) {
            problems.add("--memory " + memoryBytes / 1024 / 1024 + "m does not fit the JVM's heap of "
                    + heapBytes / 1024 / 1024 + "m; set SLUICE_JAVA_OPTS=-Xmx" + (memoryBytes / 8 * 10 / 1024 / 1024)
                    + "m");
        }
        if (resources.workers < 1) {
            problems.add("--workers must be at least 1");
        }
        if (resources.bytesPerSecond < 0) {
            problems.add("--max-rate must not be negative");
        }
        if (append && mode != Mode.MERGE) {
            problems.add("a table that exists takes rows in mode merge only, which brings them in all at once");
        }
        if (onConflict == ConflictPolicy.CAPTURE && rejects.bundle == null) {
            problems.add("--on-conflict capture needs --rejects DIR, where the losing rows are kept");
        }
        if (onConflict == ConflictPolicy.CAPTURE && !capturable()) {
            problems.add("--on-conflict capture is for CSV and JSON lines: rows of other formats cannot be replayed;"
                    + " use first, last or error");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        format.validate();
    }

    private boolean capturable() {
        return format instanceof InputFormat.Csv || (format instanceof InputFormat.Json json && !json.array());
    }
}
