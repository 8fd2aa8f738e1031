package io.sluice.importer.job;

import io.sluice.api.kv.KvSum;
import io.sluice.api.row.Row;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** One thread's way through the steps: take a split, decode and encode its rows, and pass the KVs on. */
final class ImportWorker implements RowConsumer {
    private final SplitSource source;
    private final RejectLog rejects;
    private final KvsOut out;
    private final ImportProgress progress;
    private final RateCap cap;
    private final StageClock clock;
    private final SplitDecoder decoder;
    private final Split split;
    private final RowEncoding encoding;
    private final @Nullable DropReport drops;
    private int fileOrdinal;
    private long rows;

    ImportWorker(Reading context, SplitSource source, RejectLog rejects, KvsOut out) {
        this.source = source;
        this.rejects = rejects;
        this.out = out;
        progress = context.progress();
        cap = context.cap();
        clock = new StageClock(progress);
        decoder = context.settings().format().decoder(context.table().def(), ImportSettings.MAX_RECORD_BYTES);
        split = new Split(context.memory().splitBytes());
        encoding = new RowEncoding(context.table(), out.targets());
        drops = context.dropped().isEmpty() ? null : new DropReport(context);
    }

    /** Works until the source has no more splits, or is stopped; what is in the buffers then goes nowhere. */
    void run() throws IOException, InterruptedException {
        clock.enter(Stage.SOURCE);
        while (source.next(split)) {
            if (!cap.unlimited()) {
                clock.enter(Stage.CAP);
                cap.take(split.storedBytes() - split.passedBytes(), () -> {
                    // Said while it lasts, for it may last long.
                    clock.enter(Stage.CAP);
                    return source.stopped();
                });
            }
            clock.enter(Stage.DECODE);
            out.splitEnded(decode(), clock);
            clock.enter(Stage.SOURCE);
        }
        if (!source.stopped()) {
            out.inputEnded(clock);
        }
        clock.enter(Stage.SOURCE);
    }

    private ReadSplit decode() throws IOException {
        fileOrdinal = split.file().ordinal();
        rows = 0;
        RejectLog.SplitRejects splitRejects = rejects.split(split, () -> rows);
        if (drops != null) {
            drops.begin(split, splitRejects);
        }
        long lines;
        try {
            lines = split.passedOver() ? 0 : decoder.decode(split, this, splitRejects);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        splitRejects.finish(lines);
        progress.decoded(split, rows, splitRejects.records());
        return new ReadSplit(
                fileOrdinal,
                split.ordinal(),
                split.span(lines),
                (long) split.end() - split.start(),
                rows,
                splitRejects.records());
    }

    @Override
    public void row(Row row, long byteOffset) {
        if (drops != null && drops.dropped(row, byteOffset)) {
            return;
        }
        encoding.encode(row, fileOrdinal, byteOffset);
        rows++;
        try {
            out.rowEncoded(clock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("the import was interrupted"));
        }
    }

    /** What this worker encoded for an index. */
    KvSum encoded(int index) {
        return encoding.sum(index);
    }
}
