package io.sluice.importer.job.read;

import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Stage;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitChunks;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The work of one thread: takes a split, decodes and encodes its rows, and passes the KVs on. */
final class ImportWorker implements RowConsumer {
    /** Size of a journaled chunk: 1 MiB. After a kill each worker reads half a chunk again, some 10 ms of work. */
    private static final int CHUNK_BYTES = 1 << 20;

    private final SplitSource source;
    private final RejectLog rejects;
    private final KvsOut out;
    private final ImportProgress progress;
    private final RateCap cap;
    private final StageClock clock;
    private final SplitDecoder decoder;
    private final Split split;
    private final SplitChunks chunks;
    private final RowEncoding encoding;
    private final @Nullable DropReport drops;
    private int fileOrdinal;
    private long rows;

    ImportWorker(Reading context, RateCap cap, SplitSource source, RejectLog rejects, StageClock clock, KvsOut out) {
        this.source = source;
        this.rejects = rejects;
        this.out = out;
        progress = context.progress();
        this.cap = cap;
        this.clock = clock;
        decoder = context.settings().format().decoder(context.table().def(), ImportSettings.MAX_RECORD_BYTES);
        split = new Split(context.memory().splitBytes());
        chunks = new SplitChunks(out.wantsChunks() ? CHUNK_BYTES : Integer.MAX_VALUE);
        encoding = new RowEncoding(context.table(), context.encoders().get(), out.targets());
        drops = context.dropped().isEmpty() ? null : new DropReport(context);
    }

    /** Works until the source has no more splits or is stopped; a stop discards the buffers. */
    void run() throws IOException, InterruptedException {
        clock.enter(Stage.SOURCE);
        while (source.next(split)) {
            if (!cap.unlimited()) {
                clock.enter(Stage.CAP);
                cap.take(split.storedBytes() - split.passedBytes(), () -> {
                    // Updates the clock during the wait, which may be long.
                    clock.enter(Stage.CAP);
                    return source.stopped();
                });
            }
            decode();
            clock.enter(Stage.SOURCE);
        }
        if (!source.stopped()) {
            out.inputEnded();
        }
        clock.enter(Stage.SOURCE);
    }

    private void decode() throws IOException, InterruptedException {
        fileOrdinal = split.file().ordinal();
        rows = 0;
        RejectLog.SplitRejects splitRejects = rejects.split(split, () -> rows);
        if (drops != null) {
            drops.begin(split, splitRejects);
        }
        chunks.begin(split);
        Split chunk = chunks.next(0);
        while (chunk != null) {
            clock.enter(Stage.DECODE);
            long rowsBefore = rows;
            long rejectsBefore = splitRejects.records();
            long lines = decode(chunk, splitRejects);
            long newRows = rows - rowsBefore;
            long newRejects = splitRejects.records() - rejectsBefore;
            progress.decoded(chunk, newRows, newRejects);
            long bytes = (long) chunk.end() - chunk.start();
            ReadSplit read = new ReadSplit(
                    fileOrdinal, split.ordinal(), chunk.span(lines), bytes, newRows, newRejects, chunk.passedOver());
            chunk = chunks.next(lines);
            if (chunk == null) {
                splitRejects.finish(lines);
                out.splitEnded(read);
            } else {
                out.chunkEnded(read);
            }
        }
    }

    /** Returns the number of line ends in the split. */
    private long decode(Split chunk, RejectLog.SplitRejects splitRejects) throws IOException {
        try {
            return chunk.passedOver() ? chunk.linesSkipped() : decoder.decode(chunk, this, splitRejects);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void row(Row row, long byteOffset) {
        if (drops != null && drops.dropped(row, byteOffset)) {
            return;
        }
        encoding.encode(row, fileOrdinal, byteOffset);
        rows++;
        try {
            out.rowEncoded();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("the import was interrupted"));
        }
    }

    /** Checksum of the KVs that this worker encoded for an index. */
    KvChecksum encoded(int index) {
        return encoding.sum(index);
    }
}
