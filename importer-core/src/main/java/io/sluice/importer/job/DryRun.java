package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableDigest;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.encode.SingleKvTarget;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.job.read.MemoryPlan;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.source.InputFile;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes and encodes all input and discards the KVs. A dry run needs no node, reports all rejects whatever their
 * number, and computes the table's digest. It does not compare rows, so it does not find rows with the same key.
 */
public final class DryRun {
    private static final int REJECTS_SHOWN = 20;

    private final Table table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;

    /** Creates a dry run. The table's id is an assumption; only the digest depends on it. */
    public DryRun(Table table, List<InputFile> inputs, ImportSettings settings, ImportProgress progress) {
        this.table = table;
        this.inputs = List.copyOf(inputs);
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * The result of a dry run.
     *
     * @param rows number of good rows
     * @param rejects number of rejected records
     * @param tooMany whether an import would fail because of them
     * @param first the first rejects in words, {@value #REJECTS_SHOWN} at most
     * @param sum checksums of the KVs, repeated keys included
     * @param bytesRead bytes of the input
     * @param seconds how long it took
     */
    public record Result(
            long rows,
            long rejects,
            boolean tooMany,
            List<String> first,
            TableDigest sum,
            long bytesRead,
            double seconds) {
        public Result {
            first = List.copyOf(first);
        }
    }

    /**
     * Reads the input to its end.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    public Result run() throws InterruptedException {
        settings.validate();
        long start = System.nanoTime();
        progress.expectBytes(InputFile.sum(inputs, InputFile::sizeBytes));
        progress.expect(inputs.size(), table.indexes().size());
        progress.enter(ImportProgress.Phase.IMPORT);
        MemoryPlan memory = MemoryPlan.of(
                settings.resources().memoryBytes(),
                settings.resources().workers(),
                table.def().secondaries().size(),
                InputFile.sum(inputs, InputFile::textBytes));
        Reading reading =
                new Reading(table, () -> IndexEncoder.ofAll(table), settings, memory, progress, DroppedRows.NONE);
        List<String> first = new ArrayList<>();
        try (OpenBundle bundle = OpenBundle.of(settings, table.def(), "dry-run")) {
            RejectSink sink = (file, header, line, reject) -> {
                if (first.size() < REJECTS_SHOWN) {
                    first.add(RejectLog.describe(file, line, reject));
                }
                bundle.sink().write(file, header, line, reject);
            };
            RejectLog rejects = new RejectLog(RejectLimit.UNLIMITED, sink);
            List<IndexChecksum> sums = new InputReader(reading, inputs).read(rejects, clock -> {
                List<Discarded> targets =
                        table.indexes().stream().map(index -> new Discarded()).toList();
                return () -> targets;
            });
            bundle.ended(Manifest.State.DRY_RUN);
            progress.enter(ImportProgress.Phase.DONE);
            long all = progress.rows() + rejects.count();
            return new Result(
                    progress.rows(),
                    rejects.count(),
                    settings.rejects().limit().exceeded(rejects.count(), all, true),
                    first,
                    new TableDigest(table.name(), sums),
                    progress.bytesRead(),
                    Math.round((System.nanoTime() - start) / 1e6) / 1e3);
        }
    }

    /** Discards the KVs of one index. */
    private static final class Discarded extends SingleKvTarget {
        @Override
        protected void added(byte[] kv, int keyLength, int valueLength) {}
    }
}
