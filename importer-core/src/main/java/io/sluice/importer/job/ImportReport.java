package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The report of an import. Component names are the members of the JSON report and never change.
 *
 * @param table name of the table
 * @param state {@code succeeded} or {@code succeeded_with_rejects}
 * @param mode the mode in which KVs went to the node
 * @param rowsRead records of the input, good and bad
 * @param rowsImported rows of the table
 * @param rowsRejected records that were rejected
 * @param duplicates rows that repeat an earlier row in all columns
 * @param conflicts keys that occur with different values
 * @param kvs KVs in the store by index
 * @param bytesRead bytes of the input
 * @param seconds time per step: total, import (reading to runs), merge, compact, verify
 * @param ssts SSTs that were ingested
 * @param puts KVs that were Put instead
 * @param maxHeight height of the tallest stack of overlapping files
 * @param l0Files files in level 0
 * @param writeAmplification bytes written for the table by the node and its SSTs, over the bytes of its SSTs
 * @param spilledBytes bytes of runs that did not fit the memory and were spilled
 * @param verified whether all checks agreed; if not, nothing is published
 * @param digest digest of the table; {@code sluice digest} prints the same
 * @param stages seconds that all workers together spent in each stage, waiting included
 * @param limiter the stage that took most of the workers' time
 * @param sample description of the sample that split the table's keys, in mode two-pass; or null
 * @param peakBufferBytes most disk on the node for KVs to be sorted and the SSTs they became
 * @param rowsDropped rows of the input that lost a conflict
 * @param rowsReplaced rows of the table that lost a conflict
 * @param rejected where the rejects are, and their reasons
 * @param warnings sentences about problems that did not harm the table
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
    /** Reads older reports without these members, too. */
    public ImportReport {
        rejected = rejected == null ? Rejected.NONE : rejected;
        warnings = warnings == null ? List.of() : List.copyOf(warnings);
    }

    /**
     * The rejects of an import.
     *
     * @param byReason number of records by reason
     * @param bundle the directory of the reject bundle; null without rejects
     */
    public record Rejected(
            Map<String, Long> byReason, @Nullable String bundle) {
        /** No rejects. */
        public static final Rejected NONE = new Rejected(Map.of(), null);
    }

    /** The state of an import without rejects. */
    public static final String SUCCEEDED = "succeeded";

    /** The state of an import with rejects or captured rows. */
    public static final String WITH_REJECTS = "succeeded_with_rejects";

    /** Whether every row was imported, except rows that the conflict policy drops. */
    public boolean withoutRejects() {
        return state.equals(SUCCEEDED);
    }

    /** Returns a copy with more warnings. */
    public ImportReport warning(List<String> more) {
        Set<String> all = new LinkedHashSet<>(warnings);
        all.addAll(more);
        return with(rowsImported, kvs, List.copyOf(all));
    }

    /** Returns a copy for an append, which counts only the added KVs. */
    public ImportReport of(List<IndexChecksum> added) {
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
