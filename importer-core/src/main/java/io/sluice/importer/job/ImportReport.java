package io.sluice.importer.job;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The report of an import, which exists only if all its checks agreed. In JSON it is one flat object, whose members
 * never change.
 *
 * @param table name of the table
 * @param outcome how the import ran and ended
 * @param rows rows of the input and of the table
 * @param kvs KVs in the store by index
 * @param bytes bytes that the import read and buffered
 * @param store what the nodes did
 * @param times time per step and stage
 * @param digest digest of the table; {@code sluice digest} prints the same
 */
public record ImportReport(
        String table,
        @JsonUnwrapped Outcome outcome,
        @JsonUnwrapped Rows rows,
        Map<String, Long> kvs,
        @JsonUnwrapped Bytes bytes,
        @JsonUnwrapped Store store,
        @JsonUnwrapped Times times,
        String digest) {
    /** The state of an import without rejects. */
    public static final String SUCCEEDED = "succeeded";

    /** The state of an import with rejects or captured rows. */
    public static final String WITH_REJECTS = "succeeded_with_rejects";

    /**
     * Mode and result of an import.
     *
     * @param state {@code succeeded} or {@code succeeded_with_rejects}
     * @param mode the mode in which KVs went to the node
     * @param sample description of the sample that split the table's keys, in mode two-pass; or null
     * @param warnings sentences about problems that did not harm the table
     */
    public record Outcome(
            String state, String mode, @Nullable String sample, List<String> warnings) {
        /** Reads older reports without warnings, too. */
        public Outcome {
            warnings = warnings == null ? List.of() : List.copyOf(warnings);
        }
    }

    /**
     * Rows of an import.
     *
     * @param read records of the input, good and bad
     * @param imported rows of the table
     * @param rejected records that were rejected
     * @param duplicates rows that repeat an earlier row in all columns
     * @param conflicts keys that occur with different values
     * @param dropped rows of the input that lost a conflict
     * @param replaced rows of the table that lost a conflict
     * @param rejects where the rejects are, and their reasons
     */
    public record Rows(
            @JsonProperty("rowsRead") long read,
            @JsonProperty("rowsImported") long imported,
            @JsonProperty("rowsRejected") long rejected,
            long duplicates,
            long conflicts,
            @JsonProperty("rowsDropped") long dropped,
            @JsonProperty("rowsReplaced") long replaced,
            @JsonProperty("rejected") Rejects rejects) {
        /** Reads older reports without the rejects' reasons, too. */
        public Rows {
            rejects = rejects == null ? Rejects.NONE : rejects;
        }
    }

    /**
     * The rejects of an import.
     *
     * @param byReason number of records by reason
     * @param bundle the directory of the reject bundle; null without rejects
     */
    public record Rejects(
            Map<String, Long> byReason, @Nullable String bundle) {
        /** No rejects. */
        public static final Rejects NONE = new Rejects(Map.of(), null);
    }

    /**
     * Bytes of an import.
     *
     * @param read bytes of the input, those of earlier runs included
     * @param spilled bytes of runs that did not fit the memory and were spilled
     * @param peakBuffer most disk on the node for KVs to be sorted and the SSTs they became
     * @param readBefore of {@code read}, the bytes that earlier runs of a resumed import did
     */
    public record Bytes(
            @JsonProperty("bytesRead") long read,
            @JsonProperty("spilledBytes") long spilled,
            @JsonProperty("peakBufferBytes") long peakBuffer,
            @JsonProperty("bytesReadBefore") long readBefore) {}

    /**
     * Figures of the nodes.
     *
     * @param ssts SSTs that were ingested
     * @param puts KVs that were Put instead
     * @param maxHeight height of the tallest stack of overlapping files
     * @param l0Files files in level 0
     * @param writeAmplification bytes written for the table by the node and its SSTs, over the bytes of its SSTs
     */
    public record Store(int ssts, long puts, int maxHeight, int l0Files, double writeAmplification) {}

    /**
     * Time per step and stage.
     *
     * @param seconds time per step: total, import (reading to runs), merge, compact, verify
     * @param stages seconds that all workers together spent in each stage, waiting included
     * @param limiter the stage that took most of the workers' time
     */
    public record Times(Map<String, Double> seconds, Map<String, Double> stages, String limiter) {}

    /** Bytes written for the table over the bytes of its SSTs, with three decimals. */
    public static double amplification(IngestReport ingest) {
        double ratio = 1 + ingest.bytesWritten() / (double) Math.max(1, ingest.bytesIngested());
        return Math.round(ratio * 1000) / 1000.0;
    }

    /** Whether every row was imported, except rows that the conflict policy drops. */
    public boolean withoutRejects() {
        return outcome.state.equals(SUCCEEDED);
    }

    /** Returns a copy in the state of an import with rejects. */
    ImportReport withRejects() {
        Outcome some = new Outcome(WITH_REJECTS, outcome.mode, outcome.sample, outcome.warnings);
        return new ImportReport(table, some, rows, kvs, bytes, store, times, digest);
    }

    /** Returns a copy with more warnings. */
    public ImportReport warning(List<String> more) {
        Set<String> all = new LinkedHashSet<>(outcome.warnings);
        all.addAll(more);
        Outcome warned = new Outcome(outcome.state, outcome.mode, outcome.sample, List.copyOf(all));
        return new ImportReport(table, warned, rows, kvs, bytes, store, times, digest);
    }

    /** The JSON members in their order, which differs from that of the groups. */
    @JsonValue
    Map<String, @Nullable Object> members() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("table", table);
        members.put("state", outcome.state);
        members.put("mode", outcome.mode);
        members.put("rowsRead", rows.read);
        members.put("rowsImported", rows.imported);
        members.put("rowsRejected", rows.rejected);
        members.put("duplicates", rows.duplicates);
        members.put("conflicts", rows.conflicts);
        members.put("kvs", kvs);
        members.put("bytesRead", bytes.read);
        members.put("seconds", times.seconds);
        members.put("ssts", store.ssts);
        members.put("puts", store.puts);
        members.put("maxHeight", store.maxHeight);
        members.put("l0Files", store.l0Files);
        members.put("writeAmplification", store.writeAmplification);
        members.put("spilledBytes", bytes.spilled);
        members.put("verified", true);
        members.put("digest", digest);
        members.put("stages", times.stages);
        members.put("limiter", times.limiter);
        members.put("sample", outcome.sample);
        members.put("peakBufferBytes", bytes.peakBuffer);
        members.put("bytesReadBefore", bytes.readBefore);
        members.put("rowsDropped", rows.dropped);
        members.put("rowsReplaced", rows.replaced);
        members.put("rejected", rows.rejects);
        members.put("warnings", outcome.warnings);
        return members;
    }

    /** The number of KVs by index. */
    public static Map<String, Long> counts(List<IndexChecksum> indexes) {
        Map<String, Long> counts = new LinkedHashMap<>();
        indexes.forEach(index -> counts.put(index.index(), index.sum().count()));
        return counts;
    }
}
