package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.source.InputFile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An import without its end: all input is decoded and encoded, and forgotten. It needs no node, meets all rejects
 * whatever their number, and knows what an import would add up to. Rows with the same key do not meet, so it does not
 * find them.
 */
public final class DryRun {
    private static final int REJECTS_SHOWN = 20;

    private final Table table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;

    /** A dry run that is not begun; the table's id is an assumption that only the digest depends on. */
    public DryRun(Table table, List<InputFile> inputs, ImportSettings settings, ImportProgress progress) {
        this.table = table;
        this.inputs = List.copyOf(inputs);
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * What came out.
     *
     * @param rows good rows
     * @param rejects records that are no rows
     * @param tooMany whether an import would fail for them
     * @param first the first rejects in words, {@value #REJECTS_SHOWN} at most
     * @param sum what the KVs add up to, repeated keys included
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
     * Runs to the end of the input.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    public Result run() throws InterruptedException {
        settings.validate();
        long start = System.nanoTime();
        long inputBytes =
                inputs.stream().mapToLong(InputFile::sizeBytes).reduce(0, (a, b) -> a < 0 || b < 0 ? -1 : a + b);
        progress.expectBytes(inputBytes);
        progress.expect(inputs.size(), table.indexes().size());
        progress.enter(ImportProgress.Phase.IMPORT);
        MemoryPlan memory = MemoryPlan.of(
                settings.memoryBytes(),
                settings.workers(),
                table.def().secondaries().size(),
                inputBytes);
        Reading reading = new Reading(table, settings, memory, progress);
        List<Nowhere> outputs = IntStream.range(0, table.indexes().size())
                .mapToObj(Nowhere::new)
                .toList();
        List<String> first = new ArrayList<>();
        try (OpenBundle bundle = OpenBundle.of(settings, table.name(), "dry-run")) {
            RejectSink sink = (file, header, line, reject) -> {
                if (first.size() < REJECTS_SHOWN) {
                    first.add(RejectLog.describe(file, line, reject));
                }
                bundle.sink().write(file, header, line, reject);
            };
            RejectLog rejects = new RejectLog(RejectLimit.UNLIMITED, sink);
            List<IndexChecksum> sums = new InputReader(reading, inputs).read(rejects, outputs);
            bundle.ended(Manifest.State.DRY_RUN);
            progress.enter(ImportProgress.Phase.DONE);
            long all = progress.rows() + rejects.count();
            return new Result(
                    progress.rows(),
                    rejects.count(),
                    settings.maxRejects().exceeded(rejects.count(), all, true),
                    first,
                    new TableDigest(table.name(), sums),
                    progress.bytesRead(),
                    Math.round((System.nanoTime() - start) / 1e6) / 1e3);
        }
    }

    /** Where KVs go that nobody wants. */
    private record Nowhere(int ordinal) implements BufferSink {
        @Override
        public void splitEnded(SortBuffer buffer, CheckpointUnit group, StageClock clock) {
            buffer.clear();
        }

        @Override
        public void take(SortBuffer buffer, CheckpointUnit group, StageClock clock) {
            buffer.clear();
        }
    }
}
