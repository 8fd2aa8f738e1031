package io.sluice.importer.job;

import io.sluice.api.kv.KvSum;
import io.sluice.api.row.Row;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** One thread's way through the steps: take a split, decode and encode its rows, and pass full buffers on. */
final class ImportWorker implements RowConsumer {
    private final SplitSource source;
    private final RejectLog rejects;
    private final List<? extends BufferSink> outputs;
    private final ImportProgress progress;
    private final StageClock clock;
    private final SplitDecoder decoder;
    private final Split split;
    private final SortBuffer[] buffers;
    private final RowEncoding encoding;
    private int fileOrdinal;
    private long rows;

    ImportWorker(Reading context, SplitSource source, RejectLog rejects, List<? extends BufferSink> outputs) {
        this.source = source;
        this.rejects = rejects;
        this.outputs = outputs;
        progress = context.progress();
        clock = new StageClock(progress);
        decoder = context.settings().format().decoder(context.table().def(), ImportSettings.MAX_RECORD_BYTES);
        MemoryPlan memory = context.memory();
        split = new Split(memory.splitBytes());
        Sorter sorter = new Sorter();
        List<SortBuffer> all = new ArrayList<>();
        for (BufferSink output : outputs) {
            int arenaBytes = output.ordinal() == 0 ? memory.primaryArenaBytes() : memory.secondaryArenaBytes();
            all.add(new SortBuffer(arenaBytes, MemoryPlan.maxEntries(arenaBytes), sorter));
        }
        buffers = all.toArray(new SortBuffer[0]);
        encoding = new RowEncoding(context.table(), all);
    }

    /** Works until the source has no more splits. */
    void run() throws IOException, InterruptedException {
        clock.enter(Stage.SOURCE);
        while (source.next(split)) {
            clock.enter(Stage.DECODE);
            decode();
            for (BufferSink output : outputs) {
                output.splitEnded(buffers[output.ordinal()], clock);
            }
            clock.enter(Stage.SOURCE);
        }
        for (BufferSink output : outputs) {
            output.take(buffers[output.ordinal()], clock);
        }
        clock.enter(Stage.SOURCE);
    }

    private void decode() throws IOException {
        fileOrdinal = split.file().ordinal();
        rows = 0;
        RejectLog.SplitRejects splitRejects = rejects.split(split, () -> rows);
        try {
            splitRejects.finish(decoder.decode(split, this, splitRejects));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        progress.decoded(split.end(), rows);
    }

    @Override
    public void row(Row row, long byteOffset) {
        encoding.encode(row, fileOrdinal, byteOffset);
        rows++;
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i].isFull()) {
                empty(i);
            }
        }
    }

    private void empty(int index) {
        try {
            outputs.get(index).take(buffers[index], clock);
            clock.enter(Stage.DECODE);
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
