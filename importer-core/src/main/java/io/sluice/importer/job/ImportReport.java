package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an import did. The names are those of the JSON report and stay as they are.
 *
 * @param table name of the table
 * @param state {@code succeeded} or {@code succeeded_with_rejects}
 * @param mode how KVs went to the node
 * @param rowsRead records of the input, good or bad
 * @param rowsImported rows of the table
 * @param rowsRejected records that were no rows
 * @param duplicates rows that came more than once, the same each time
 * @param conflicts keys that came with different values
 * @param kvs KVs in the store by index
 * @param bytesRead bytes of the input
 * @param seconds how long it took: total, import (reading to runs), merge, compact, verify
 * @param ssts files that were ingested
 * @param puts KVs that were Put instead
 * @param maxHeight most files above each other over any key
 * @param l0Files files in level 0
 * @param writeAmplification bytes written for the table by the node and its SSTs, over the bytes of its SSTs
 * @param spilledBytes bytes of runs that did not fit the memory and went through files
 * @param verified whether all checks agreed; nothing is published otherwise
 * @param digest what the table adds up to; {@code sluice digest} gives the same
 * @param stages seconds that all workers together spent in each stage, or waiting for it
 * @param limiter the stage that took most of the workers' time
 * @param sample what the keys that divide the table were chosen from, in mode two-pass; or null
 * @param peakBufferBytes the most that KVs to be sorted took on the node's disk, with the SSTs they became
 * @param rowsDropped rows that gave way to others with the same key
 * @param rowsReplaced rows of the table that gave way
 * @param rejected where rejects are, and why
 * @param warnings what went otherwise than usual and did not harm the table, a sentence each
 */
public record ImportReport(
        String table,
        String state,
        String mode,
        long rowsRead,
        long rowsImported,
        long rowsRejected,
        long duplicates,
        long conflicts,
        Map<String, Long> kvs,
        long bytesRead,
        Map<String, Double> seconds,
        int ssts,
        long puts,
        int maxHeight,
        int l0Files,
        double writeAmplification,
        long spilledBytes,
        boolean verified,
        @Nullable String digest,
        Map<String, Double> stages,
        String limiter,
        @Nullable String sample,
        long peakBufferBytes,
        long rowsDropped,
        long rowsReplaced,
        Rejected rejected,
        List<String> warnings) {
    /** Reports that were noted before there were these have none. */
    public ImportReport {
        rejected = rejected == null ? Rejected.NONE : rejected;
        warnings = warnings == null ? List.of() : List.copyOf(warnings);
    }

    /**
     * What became of rejects.
     *
     * @param byReason how many records, by what is wrong with them
     * @param bundle the directory that holds them; null when there are none
     */
    public record Rejected(
            Map<String, Long> byReason, @Nullable String bundle) {
        /** No rejects. */
        public static final Rejected NONE = new Rejected(Map.of(), null);
    }

    /** The state of an import that left nothing to be repaired. */
    static final String SUCCEEDED = "succeeded";

    /** The state of an import with rejects, or with rows that a bundle has captured. */
    static final String WITH_REJECTS = "succeeded_with_rejects";

    /** Whether every row was imported, but for those that a policy passes over. */
    public boolean withoutRejects() {
        return state.equals(SUCCEEDED);
    }

    /** The same report with more warnings. */
    ImportReport warning(List<String> more) {
        Set<String> all = new LinkedHashSet<>(warnings);
        all.addAll(more);
        return with(rowsImported, kvs, List.copyOf(all));
    }

    /** The same import into a table that had rows before: of the KVs, so many are new. */
    ImportReport of(List<IndexChecksum> added) {
        Map<String, Long> newKvs = new LinkedHashMap<>();
        added.forEach(sum -> newKvs.put(sum.index(), sum.sum().count()));
        return with(added.get(0).sum().count(), newKvs, warnings);
    }

    private ImportReport with(long newRowsImported, Map<String, Long> newKvs, List<String> newWarnings) {
        return new ImportReport(
                table,
                state,
                mode,
                rowsRead,
                newRowsImported,
                rowsRejected,
                duplicates,
                conflicts,
                newKvs,
                bytesRead,
                seconds,
                ssts,
                puts,
                maxHeight,
                l0Files,
                writeAmplification,
                spilledBytes,
                verified,
                digest,
                stages,
                limiter,
                sample,
                peakBufferBytes,
                rowsDropped,
                rowsReplaced,
                rejected,
                newWarnings);
    }
}
