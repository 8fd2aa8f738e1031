package io.sluice.importer.job.read;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpans;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads all input with all workers: source, decode, encode, sort, and the outputs' work on full buffers. */
public final class InputReader {
    private final Reading context;
    private final List<InputFile> inputs;

    public InputReader(Reading context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
    }

    /**
     * Reads the input to its end into an output per worker.
     *
     * @param newOut creates the output of one worker from its clock; called once per worker
     * @return what was encoded, per index
     * @throws BadInputException when there are more rejects than allowed
     */
    public List<IndexChecksum> read(RejectLog rejects, Function<StageClock, ? extends KvsOut> newOut)
            throws InterruptedException {
        return read(rejects, ReadSpans.NONE, newOut);
    }

    /**
     * Reads the input that earlier attempts at the import have not done.
     *
     * @param done the spans that they have done
     * @param newOut creates the output of one worker from its clock; called once per worker
     * @return what was encoded, per index
     * @throws BadInputException when there are more rejects than allowed
     */
    public List<IndexChecksum> read(RejectLog rejects, ReadSpans done, Function<StageClock, ? extends KvsOut> newOut)
            throws InterruptedException {
        RateCap cap = new RateCap(context.settings().resources().bytesPerSecond());
        List<ImportWorker> workers = new ArrayList<>();
        each(rejects, done, source -> {
            StageClock clock = new StageClock(context.progress());
            ImportWorker worker = new ImportWorker(context, cap, source, rejects, clock, newOut.apply(clock));
            workers.add(worker);
            return worker::run;
        });
        List<IndexChecksum> encoded = new ArrayList<>();
        for (int i = 0; i < context.table().indexes().size(); i++) {
            KvChecksum sum = KvChecksum.EMPTY;
            for (ImportWorker worker : workers) {
                sum = sum.plus(worker.encoded(i));
            }
            encoded.add(new IndexChecksum(context.table().indexes().get(i).def().name(), sum));
        }
        return encoded;
    }

    /**
     * Reads the input to its end with any kind of worker.
     *
     * @param newWorker creates the work of one thread, which takes splits until the source ends
     * @throws BadInputException when there are more rejects than allowed
     */
    public void each(RejectLog rejects, Function<SplitSource, WorkerPool.Work> newWorker) throws InterruptedException {
        each(rejects, ReadSpans.NONE, newWorker);
    }

    private void each(RejectLog rejects, ReadSpans done, Function<SplitSource, WorkerPool.Work> newWorker)
            throws InterruptedException {
        ImportSettings settings = context.settings();
        InputFormat format = settings.format();
        SplitSource.Settings reading = format.reading(context.memory().splitBytes(), ImportSettings.MAX_RECORD_BYTES);
        SplitSource.Readers readers = new SplitSource.Readers(
                settings.resources().workers(), context.memory().readAheadBytes());
        try (SplitSource source = new SplitSource(inputs, format.framing(), reading, readers, done)) {
            rejects.onLimit(source::stop);
            List<WorkerPool.Work> works = new ArrayList<>();
            for (int i = 0; i < settings.resources().workers(); i++) {
                works.add(newWorker.apply(source));
            }
            WorkerPool.run("sluice-import", works, () -> {
                source.stop();
                rejects.abandon();
            });
        }
        if (rejects.limitExceeded()) {
            throw tooManyRejects(rejects, settings.rejects().limit());
        }
    }

    private static BadInputException tooManyRejects(RejectLog rejects, RejectLimit allowed) {
        String limit = allowed.equals(RejectLimit.NONE)
                ? "\nNothing was imported. Correct the record, or allow some with --max-rejects N"
                : "\nNothing was imported: there are more than the " + allowed.label()
                        + " rejects that --max-rejects allows; this was the first";
        String first = rejects.first();
        return new BadInputException(
                (first == null ? "all rejects were met by an earlier attempt" : first) + limit,
                FailureCode.TOO_MANY_REJECTS);
    }
}
