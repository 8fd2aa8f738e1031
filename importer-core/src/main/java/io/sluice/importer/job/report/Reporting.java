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
import io.sluice.model.schema.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the report of a finished import from the counters of its parts. */
public record Reporting(ImportContext context, ImportClock clock, OpenBundle bundle) {
    private Map<String, Double> stages() {
        Map<String, Double> stages = new LinkedHashMap<>();
        for (Stage stage : Stage.values()) {
            if (stage == Stage.CAP && context.settings().bytesPerSecond() == 0) {
                continue;
            }
            stages.put(stage.label(), ImportClock.toSeconds(context.progress().stageNanos(stage)));
        }
        return stages;
    }

    /**
     * Builds the report.
     *
     * @param written checksums of the import's KVs in the table, per index
     * @param sample description of the sample that split the table's keys, in mode two-pass
     */
    public ImportReport report(
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            List<IndexChecksum> written,
            IngestReport ingest,
            Decision decision,
            @Nullable String sample) {
        Table bound = context.table();
        Map<String, Long> kvs = new LinkedHashMap<>();
        written.forEach(sum -> kvs.put(sum.index(), sum.sum().count()));
        ImportSettings settings = context.settings();
        ImportProgress progress = context.progress();
        double bytesIngested = Math.max(1, ingest.bytesIngested());
        return new ImportReport(
                bound.name(),
                rejects.count() == 0
                                && (decision.dropped().isEmpty() || settings.onConflict() != ConflictPolicy.CAPTURE)
                        ? ImportReport.SUCCEEDED
                        : ImportReport.WITH_REJECTS,
                settings.mode().label(),
                progress.rows() + rejects.count() + decision.dropped().count(),
                written.get(0).sum().count(),
                rejects.count(),
                context.conflicts().duplicates(0),
                decision.conflicts(),
                kvs,
                progress.bytesRead(),
                clock.seconds(),
                ingest.ssts(),
                ingest.puts(),
                ingest.maxHeight(),
                ingest.l0Files(),
                1 + ingest.bytesWritten() / bytesIngested,
                outputs.stream().mapToLong(IndexOutput::spilledBytes).sum(),
                true,
                new TableDigest(bound.name(), written).digest(),
                stages(),
                progress.limiter(),
                sample,
                ingest.peakBufferBytes(),
                decision.dropped().count(),
                decision.replaced().size(),
                bundle.rejected(),
                List.of());
    }
}
