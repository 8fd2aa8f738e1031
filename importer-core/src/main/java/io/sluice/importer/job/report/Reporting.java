package io.sluice.importer.job.report;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.TableDigest;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.output.IndexOutput;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.job.verify.ConflictResolver.Decision;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the report of a finished import from the counters of its parts. */
public record Reporting(ImportContext context, ImportClock clock, OpenBundle bundle) {
    private Map<String, Double> stages() {
        Map<String, Double> stages = new LinkedHashMap<>();
        for (Stage stage : Stage.values()) {
            if (stage == Stage.CAP && context.settings().resources().bytesPerSecond() == 0) {
                continue;
            }
            stages.put(stage.label(), ImportClock.toSeconds(context.progress().stageNanos(stage)));
        }
        return stages;
    }

    /**
     * Builds the report.
     *
     * @param table checksums of the table, per index
     * @param added checksums of the KVs that the import added; those of the table if it is new
     * @param sample description of the sample that split the table's keys, in mode two-pass
     */
    public ImportReport report(
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            List<IndexChecksum> table,
            List<IndexChecksum> added,
            IngestReport ingest,
            Decision decision,
            @Nullable String sample) {
        ImportSettings settings = context.settings();
        ImportProgress progress = context.progress();
        long dropped = decision.dropped().count();
        boolean captured = dropped > 0 && settings.onConflict() == ConflictPolicy.CAPTURE;
        String state = rejects.count() == 0 && !captured ? ImportReport.SUCCEEDED : ImportReport.WITH_REJECTS;
        return new ImportReport(
                context.table().name(),
                new ImportReport.Outcome(state, settings.mode().label(), sample, List.of()),
                new ImportReport.Rows(
                        progress.rows() + rejects.count() + dropped,
                        added.get(0).sum().count(),
                        rejects.count(),
                        context.conflicts().duplicates(0),
                        decision.conflicts(),
                        dropped,
                        decision.replaced().size(),
                        bundle.rejects()),
                ImportReport.counts(added),
                new ImportReport.Bytes(
                        progress.bytesRead(),
                        outputs.stream().mapToLong(IndexOutput::spilledBytes).sum(),
                        ingest.peakBufferBytes(),
                        progress.bytesBefore()),
                new ImportReport.Store(
                        ingest.ssts(),
                        ingest.puts(),
                        ingest.maxHeight(),
                        ingest.l0Files(),
                        ImportReport.amplification(ingest)),
                new ImportReport.Times(clock.seconds(), stages(), progress.limiter()),
                new TableDigest(context.table().name(), table).digest());
    }
}
