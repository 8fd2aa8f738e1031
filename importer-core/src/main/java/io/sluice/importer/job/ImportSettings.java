package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.sst.SstFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How to import. A value: it holds no component and opens nothing.
 *
 * @param format how the input is written
 * @param workDirectory where spilled runs and unfinished SSTs go; must exist and be this import's own, for the caller
 *     removes what a failed import leaves there
 * @param memoryBytes the budget that all buffers together keep to
 * @param workers threads that decode, sort and merge
 * @param maxRejects most rejected records with which the import still succeeds
 * @param rejects the bundle that rejects are left in, or null
 * @param verification how much is read back before the table is published
 * @param mode how KVs go to the node
 * @param onConflict what becomes of rows with the same key
 * @param append whether the table exists and gets more rows, all at once at the end; for mode merge only
 * @param bytesPerSecond most bytes of input, as it is stored, that are read in a second on average; 0: as many as can
 *     be
 * @param sstWriter the code that writes SSTs
 */
public record ImportSettings(
        InputFormat format,
        Path workDirectory,
        long memoryBytes,
        int workers,
        RejectLimit maxRejects,
        @Nullable BundleSettings rejects,
        Verification verification,
        Mode mode,
        ConflictPolicy onConflict,
        boolean append,
        long bytesPerSecond,
        SstFormat.Writer sstWriter) {
    /** Settings of an import into a new table that fails when two rows have the same key. */
    public ImportSettings(
            InputFormat format,
            Path workDirectory,
            long memoryBytes,
            int workers,
            RejectLimit maxRejects,
            @Nullable BundleSettings rejects,
            Verification verification,
            Mode mode) {
        this(
                format,
                workDirectory,
                memoryBytes,
                workers,
                maxRejects,
                rejects,
                verification,
                mode,
                ConflictPolicy.ERROR,
                false,
                0,
                SstFormat.Writer.JAVA);
    }

    /** The same with another policy for rows that have the same key. */
    public ImportSettings onConflict(ConflictPolicy policy) {
        return with(policy, append, bytesPerSecond, sstWriter);
    }

    /** The same for a table that exists and stays readable meanwhile. */
    public ImportSettings appending() {
        return with(onConflict, true, bytesPerSecond, sstWriter);
    }

    /** The same, reading so many bytes a second on average at most; 0: as many as can be. */
    public ImportSettings withBytesPerSecond(long most) {
        return with(onConflict, append, most, sstWriter);
    }

    /** The same, with SSTs written by {@code writer}. */
    public ImportSettings withSstWriter(SstFormat.Writer writer) {
        return with(onConflict, append, bytesPerSecond, writer);
    }

    private ImportSettings with(ConflictPolicy policy, boolean appending, long most, SstFormat.Writer writer) {
        return new ImportSettings(
                format,
                workDirectory,
                memoryBytes,
                workers,
                maxRejects,
                rejects,
                verification,
                mode,
                policy,
                appending,
                most,
                writer);
    }

    /** Below this, buffers get so small that the disk sees little but seeks: 64 MiB. */
    public static final long MIN_MEMORY_BYTES = 64L << 20;

    /** Longest record that is let through: 4 MiB. A longer one is more likely a quote that is not closed. */
    public static final int MAX_RECORD_BYTES = 4 << 20;

    /** How KVs go to the node. */
    public enum Mode {
        /** Everything is merged here first; what is shipped does not overlap. */
        MERGE,
        /** Every sorted buffer is shipped as it comes, and the node merges. Needs no local disk. */
        DIRECT,
        /**
         * The input is read twice: once for keys that divide the table evenly, once to hand KVs over to the node of
         * each part, which sorts them on its own disk. Needs no local disk.
         */
        TWO_PASS;

        /** The mode's name in options and reports. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** What is checked before the table is published. */
    public enum Verification {
        /** Counts and checksum sums of every step agree, and every SST's blocks match their checksums. */
        SUMS,
        /** All that, and every KV is read back from the store and checked against its own CRC. */
        FULL
    }

    /** Checks the settings together and reports all violations at once. */
    public void validate() {
        List<String> problems = new ArrayList<>();
        if (memoryBytes < MIN_MEMORY_BYTES) {
            problems.add("--memory must be at least " + MIN_MEMORY_BYTES / 1024 / 1024 + "m");
        }
        long heapBytes = Runtime.getRuntime().maxMemory();
        if (memoryBytes > heapBytes / 10 * 9) {
            problems.add("--memory " + memoryBytes / 1024 / 1024 + "m does not fit the JVM's heap of "
                    + heapBytes / 1024 / 1024 + "m; set SLUICE_JAVA_OPTS=-Xmx" + (memoryBytes / 8 * 10 / 1024 / 1024)
                    + "m");
        }
        if (workers < 1) {
            problems.add("--workers must be at least 1");
        }
        if (bytesPerSecond < 0) {
            problems.add("--max-rate must not be negative");
        }
        if (append && mode != Mode.MERGE) {
            problems.add("a table that exists takes rows in mode merge only, which brings them in all at once");
        }
        if (onConflict == ConflictPolicy.CAPTURE && rejects == null) {
            problems.add("--on-conflict capture needs --rejects DIR, where the rows that give way are left");
        }
        if (onConflict == ConflictPolicy.CAPTURE && !(format instanceof InputFormat.Csv)) {
            problems.add("--on-conflict capture is for CSV: rows of other formats cannot be replayed;"
                    + " use first, last or error");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        format.validate();
    }
}
