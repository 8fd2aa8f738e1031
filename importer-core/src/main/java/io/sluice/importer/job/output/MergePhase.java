package io.sluice.importer.job.output;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.read.StageClock;
import io.sluice.importer.job.read.WorkerPool;
import io.sluice.importer.sort.Merge;
import io.sluice.importer.sort.Run;
import io.sluice.importer.sort.RunCursor;
import io.sluice.importer.sort.SpanPlan;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstRun;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Merges the runs of every index into SSTs that do not overlap, part by part and in parallel. A streamed SST stays as
 * it is unless another SST or a run has keys within its span.
 */
final class MergePhase {
    /** Sized like RocksDB's usual bottom-level files: 64 MiB. */
    private static final long TARGET_SST_BYTES = 64L << 20;

    private final ImportContext context;
    private final List<RunOutput> outputs;
    /** SSTs that were merged here and shipped. */
    private final List<SstFile> merged = new ArrayList<>();
    /** Streamed SSTs that stay as they are; on disk, not shipped. */
    private final List<SstFile> kept = new ArrayList<>();

    private final List<SstRun> mergedAgain = new ArrayList<>();

    MergePhase(ImportContext context, List<RunOutput> outputs) {
        this.context = context;
        this.outputs = outputs;
    }

    /** One part of one index, to be merged into one SST. */
    private record Job(RunOutput output, List<Run> runs, SpanPlan.Part part, long bytes) {}

    /**
     * Merges all runs, and the streamed SSTs that overlap, and ships all SSTs.
     *
     * @return checksums of all SSTs, per index
     */
    List<IndexChecksum> run() throws IOException, InterruptedException {
        try {
            mergeAll();
        } finally {
            for (SstRun run : mergedAgain) {
                run.close();
            }
        }
        // An import with conflicts is not published, so nothing is shipped. An append is shipped all the same: its node
        // must check whether the table has the keys.
        if (context.conflicts().conflicts() == 0 || context.settings().append()) {
            for (SstFile sst : kept) {
                context.shipper().ship(sst);
            }
            context.awaitShipped();
        }
        merged.addAll(kept);
        return SstFile.sums(context.table(), merged);
    }

    private void mergeAll() throws IOException, InterruptedException {
        List<Job> jobs = new ArrayList<>();
        for (RunOutput output : outputs) {
            jobs.addAll(plan(output));
        }
        // Large parts first, so that the workers end at about the same time.
        jobs.sort(Comparator.comparingLong(Job::bytes).reversed());
        context.progress().expectMerge(jobs.stream().mapToLong(Job::bytes).sum());
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean failed = new AtomicBoolean();
        WorkerPool.Work work = () -> {
            StageClock clock = new StageClock(context.progress());
            while (!failed.get()) {
                int i = next.getAndIncrement();
                if (i >= jobs.size()) {
                    break;
                }
                merge(jobs.get(i), clock);
            }
        };
        int threads = Math.min(context.settings().resources().workers(), Math.max(1, jobs.size()));
        WorkerPool.run("sluice-merge", Collections.nCopies(threads, work), () -> failed.set(true));
        context.awaitShipped();
    }

    private synchronized void merged(SstFile sst) {
        merged.add(sst);
    }

    private List<Job> plan(RunOutput output) throws IOException, InterruptedException {
        List<Run> runs = new ArrayList<>(output.runs());
        List<byte[]> cuts = new ArrayList<>();
        for (SstFile sst : overlapping(output.streamed(), runs, cuts)) {
            SstRun run = new SstRun(sst);
            mergedAgain.add(run);
            runs.add(run);
        }
        cuts.addAll(rangeBorders(output, runs));
        if (runs.isEmpty()) {
            return List.of();
        }
        long bytes = runs.stream().mapToLong(Run::bytes).sum();
        // At least one part for every worker, unless that would make tiny files.
        long target = Math.max(
                Math.min(
                        TARGET_SST_BYTES, bytes / context.settings().resources().workers() + 1),
                1L << 20);
        IndexKeys keys = new IndexKeys(context.table());
        List<SpanPlan.Part> parts = SpanPlan.of(runs, target, cuts, key -> keys.border(output.ordinal(), key));
        List<Job> jobs = new ArrayList<>();
        for (SpanPlan.Part part : parts) {
            jobs.add(new Job(output, runs, part, bytes / parts.size()));
        }
        return jobs;
    }

    /**
     * The borders of the nodes' ranges. The ranges are chosen around streamed SSTs. These are cut on their way to the
     * nodes only if they are too few for even shares.
     */
    private List<byte[]> rangeBorders(RunOutput output, List<Run> runs) {
        KeyShares shares = new KeyShares();
        runs.forEach(run -> run.sample(shares::add));
        kept.stream()
                .filter(sst -> sst.indexId() == output.indexId())
                .forEach(sst -> shares.addWhole(
                        output.digest().severalFamilies() ? EntryKeys.end(sst.largestKey()) : sst.largestKey(),
                        sst.sum().bytes()));
        return shares.isEmpty() ? List.of() : context.chooseCuts(output.ordinal(), shares.quantiles());
    }

    /**
     * Splits the streamed SSTs. Those that overlap each other or have keys of runs in their span are returned. The
     * others are kept, and their first keys become cuts so that no merged SST spans them.
     */
    private List<SstFile> overlapping(List<SstFile> streamed, List<Run> runs, List<byte[]> cuts) throws IOException {
        List<SstFile> ssts = new ArrayList<>(streamed);
        ssts.sort((a, b) -> Arrays.compareUnsigned(a.smallestKey(), b.smallestKey()));
        List<SstFile> again = new ArrayList<>();
        byte[] reached = new byte[0];
        for (int i = 0; i < ssts.size(); i++) {
            SstFile sst = ssts.get(i);
            boolean overlapsBefore = i > 0 && Arrays.compareUnsigned(sst.smallestKey(), reached) <= 0;
            if (i == 0 || Arrays.compareUnsigned(sst.largestKey(), reached) > 0) {
                reached = sst.largestKey();
            }
            boolean overlapsNext = i + 1 < ssts.size()
                    && Arrays.compareUnsigned(ssts.get(i + 1).smallestKey(), reached) <= 0;
            if (overlapsBefore || overlapsNext || hasKeysIn(runs, sst)) {
                again.add(sst);
            } else {
                kept.add(sst);
                cuts.add(sst.smallestKey());
            }
        }
        return again;
    }

    private static boolean hasKeysIn(List<Run> runs, SstFile sst) throws IOException {
        byte[] after = Arrays.copyOf(sst.largestKey(), sst.largestKey().length + 1);
        for (Run run : runs) {
            boolean apart = Arrays.compareUnsigned(run.largestKey(), sst.smallestKey()) < 0
                    || Arrays.compareUnsigned(sst.largestKey(), run.smallestKey()) < 0;
            if (!apart) {
                try (RunCursor cursor = run.cursor(sst.smallestKey(), after)) {
                    if (cursor.advance()) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private void merge(Job job, StageClock clock) throws IOException, InterruptedException {
        clock.enter(Stage.SST);
        SstBuilder sst = merged(job);
        if (sst != null) {
            clock.enter(Stage.DISK);
            try {
                context.shipper().finishAndShip(sst, this::merged);
            } catch (InterruptedException | RuntimeException e) {
                sst.close();
                throw e;
            }
            clock.enter(Stage.SST);
        }
    }

    /** Merges one part; returns its SST, or null when the part has no KVs. */
    private @Nullable SstBuilder merged(Job job) throws IOException {
        try {
            SstBuilder sst = job.output().newSst();
            boolean filled = false;
            try {
                job.output().passOn(sink -> Merge.part(job.runs(), job.part(), sink), sst);
                context.progress().merged(job.bytes());
                filled = !sst.isEmpty();
                return filled ? sst : null;
            } finally {
                if (!filled) {
                    sst.close();
                }
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(describe(job) + ": " + e.getMessage(), e);
        }
    }

    private String describe(Job job) {
        HexFormat hex = HexFormat.of();
        byte[] from = job.part().from();
        byte[] to = job.part().to();
        return "table " + context.table().name() + ", index "
                + context.table().indexes().get(job.output().ordinal()).def().name() + ", keys from "
                + (from == null ? "the first" : hex.formatHex(from)) + " to "
                + (to == null ? "the last" : hex.formatHex(to));
    }
}
