package io.sluice.service.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeStatus;
import io.sluice.importer.job.Eta;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.source.InputFile;
import io.sluice.service.job.Job;
import io.sluice.service.job.Job.Live;
import io.sluice.service.job.Tally;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the progress of an attempt at a job. One thread updates all watches several times a second. The shown
 * fraction never decreases: it is the maximum so far, written to disk before it is shown.
 */
final class JobWatch {
    /** File of a job with its progress history. */
    static final String SAMPLES = "samples.json";

    static final String FILES = "files.json";
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final int POSITIONS_KEPT = 10_000;

    private final Job job;
    private final Clock clock;
    private final Tally before;
    private final SampleLog samples;
    /** The last known load of the nodes. */
    private NodeStatus.@Nullable Load load;

    private final Rate bytes = new Rate();
    private final Rate rows = new Rate();
    private final Eta eta = new Eta();
    private volatile @Nullable Running running;
    private volatile long checkpointAt;
    private long lastSampleNanos;
    /** Whether the last update failed. */
    private boolean failing;

    /** The started import and its inputs. */
    private record Running(ImportProgress progress, List<InputFile> inputs, Mode mode, long startNanos) {
        long nanos() {
            return System.nanoTime() - startNanos;
        }
    }

    JobWatch(Job job, Clock clock) {
        this.job = job;
        this.clock = clock;
        before = job.record().tally();
        checkpointAt = before.checkpointAt();
        samples = SampleLog.of(job.files().read(job.id(), SAMPLES));
    }

    void begin(ImportProgress progress, List<InputFile> inputs, Mode mode) {
        running = new Running(progress, inputs, mode, System.nanoTime());
    }

    /** Records that nodes stored a checkpoint. */
    void checkpoint() {
        checkpointAt = clock.millis();
    }

    /**
     * Updates the job.
     *
     * @param warnings receives a failure once, until an update succeeds: a full disk stays full for long
     */
    synchronized void poll(@Nullable NodeStatus nodes, Consumer<String> warnings) {
        try {
            update(nodes);
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                warnings.accept("the progress of job " + job.id() + " cannot be kept: " + e);
            }
            failing = true;
        }
    }

    /** Reads the progress of the import and updates the job. */
    synchronized void update(@Nullable NodeStatus nodes) {
        Running now = running;
        if (now == null) {
            return;
        }
        Tally tally = tally(now, Math.max(job.record().tally().fraction(), fraction(now)));
        long nanos = System.nanoTime();
        double elapsed = tally.elapsedMillis() / MILLIS_PER_SECOND;
        job.done(
                tally,
                new Live(
                        phase(now.progress.phase()),
                        eta.update(elapsed, tally.fraction()),
                        // What earlier attempts have read is no work of this one.
                        bytes.at(nanos, tally.bytes().processed()),
                        rows.at(nanos, now.progress.recordsOfThisRun()),
                        now.progress.limiter()));
        if (nanos - lastSampleNanos >= NANOS_PER_SECOND) {
            lastSampleNanos = nanos;
            load = nodes == null ? load : nodes.load();
            samples.add(
                    clock.millis() / MILLIS_PER_SECOND,
                    tally.fraction(),
                    tally.bytes().read(),
                    tally.rows().read(),
                    load == null ? 0 : load.height(),
                    load == null ? 0 : load.files());
        }
    }

    /** The fraction in thousandths, rounded down, because every change is written to disk. */
    private static double fraction(Running now) {
        return Math.floor(fraction(now.progress, now.mode) * 1000) / 1000;
    }

    private Tally tally(Running now, double fraction) {
        ImportProgress progress = now.progress;
        return new Tally(
                fraction,
                new Tally.Bytes(
                        progress.bytesRead(),
                        progress.bytesTotal(),
                        before.bytes().processed() + progress.bytesRead() - progress.bytesBefore()),
                new Tally.Rows(progress.rows() + progress.rejects(), progress.rejects()),
                progress.kvs(),
                new Tally.Store(
                        progress.sstsBuilt(), // Until the node's report at the end, only the taken SSTs are known, and
                        // not their Puts.
                        Math.max(progress.sstsIngested(), now.mode == Mode.DIRECT ? progress.sstsHandedOver() : 0),
                        Math.max(progress.puts(), 0)),
                before.elapsedMillis() + now.nanos() / NANOS_PER_MILLI,
                checkpointAt);
    }

    /** Ends the watch, whatever the outcome of the attempt. */
    synchronized void end() {
        update(null);
        job.files().put(job.id(), SAMPLES, bytesOf(samples.toJson()));
        job.files().put(job.id(), FILES, bytesOf(positions()));
    }

    /** The final tally of a successful import. */
    synchronized Tally finished(ImportReport report) {
        Running now = running;
        Tally last = now == null ? before : tally(now, 1);
        long all =
                last.bytes().total() < 0 ? report.bytes().read() : last.bytes().total();
        return new Tally(
                1,
                new Tally.Bytes(
                        Math.max(last.bytes().read(), all),
                        last.bytes().total(),
                        last.bytes().processed()),
                new Tally.Rows(report.rows().read(), report.rows().rejected()),
                report.kvs().values().stream().mapToLong(Long::longValue).sum(),
                new Tally.Store(
                        Math.max(last.store().sstsBuilt(), report.store().ssts()),
                        report.store().ssts(),
                        report.store().puts()),
                last.elapsedMillis(),
                last.checkpointAt());
    }

    /** The read positions of the first ten thousand inputs, as JSON of the API. */
    ArrayNode positions() {
        ArrayNode files = JsonNodeFactory.instance.arrayNode();
        Running now = running;
        if (now == null) {
            return files;
        }
        for (InputFile input : now.inputs.subList(0, Math.min(POSITIONS_KEPT, now.inputs.size()))) {
            ObjectNode file = files.addObject().put("name", input.name());
            file.put("bytesRead", now.progress.inputBytesRead(input.ordinal()));
            if (input.sizeBytes() >= 0) {
                file.put("bytesTotal", input.sizeBytes());
            }
        }
        return files;
    }

    /** The progress history so far, as JSON of the API. */
    ObjectNode samples() {
        return samples.toJson();
    }

    private static byte[] bytesOf(Object json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable String phase(ImportProgress.Phase phase) {
        return switch (phase) {
            case INGEST -> "compact";
            case DONE -> null;
            default -> phase.name().toLowerCase(Locale.ROOT);
        };
    }

    /** The fractions at which the phases of one mode end. */
    private record Shares(double sample, double read, double merge, double ingest, double verify) {
        static Shares of(Mode mode) {
            return switch (mode) {
                case MERGE -> new Shares(0, 0.70, 0.95, 0.97, 0.99);
                case DIRECT -> new Shares(0, 0.88, 0.88, 0.96, 0.99);
                case TWO_PASS -> new Shares(0.25, 0.65, 0.65, 0.95, 0.99);
            };
        }
    }

    /**
     * Computes the progress of an import as one fraction, below 1 until it is done. Phases have fixed shares, measured
     * on imports of 1 to 4 GB (docs/benchmarks.md); within a phase that counts its bytes, the share grows with them.
     * The fraction measures work, not time; the remaining time is estimated from its growth.
     */
    private static double fraction(ImportProgress progress, Mode mode) {
        Shares shares = Shares.of(mode);
        Phase phase = progress.phase();
        return switch (phase) {
            case PREPARE -> 0;
            case SAMPLE -> shares.sample * part(progress.bytesRead(), progress.bytesTotal());
            case IMPORT ->
                shares.sample + (shares.read - shares.sample) * part(progress.bytesRead(), progress.bytesTotal());
            case MERGE ->
                shares.read + (shares.merge - shares.read) * part(progress.mergedBytes(), progress.mergeTotalBytes());
            case INGEST -> shares.merge;
            case VERIFY -> shares.ingest;
            case PUBLISH -> shares.verify;
            case DONE -> 1;
        };
    }

    private static double part(long done, long total) {
        return total <= 0 ? 0 : Math.min(1, (double) done / total);
    }

    /** The growth rate of a counter over the last seconds. Not thread-safe. */
    private static final class Rate {
        private static final long WINDOW_NANOS = 5_000_000_000L;

        private final Deque<long[]> moments = new ArrayDeque<>();

        /** Adds a measurement and returns the rate per second; restarts if the counter decreased. */
        double at(long nanos, long count) {
            if (!moments.isEmpty() && count < moments.getLast()[1]) {
                moments.clear();
            }
            moments.addLast(new long[] {nanos, count});
            while (moments.size() > 2 && nanos - moments.getFirst()[0] > WINDOW_NANOS) {
                moments.removeFirst();
            }
            long[] first = moments.getFirst();
            return nanos == first[0] ? 0 : Math.max(0, (count - first[1]) * NANOS_PER_SECOND / (nanos - first[0]));
        }
    }
}
