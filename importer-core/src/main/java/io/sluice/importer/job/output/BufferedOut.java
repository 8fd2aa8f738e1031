package io.sluice.importer.job.output;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.read.KvsOut;
import io.sluice.importer.job.read.MemoryPlan;
import io.sluice.importer.job.read.ReadSplit;
import io.sluice.importer.job.read.StageClock;
import io.sluice.importer.job.resume.BufferJournal;
import io.sluice.importer.job.resume.CheckpointUnit;
import io.sluice.importer.job.resume.CheckpointWriter;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the KVs of one worker in a sort buffer per index, and passes full buffers to the index's output. */
public final class BufferedOut implements KvsOut {
    private final StageClock clock;
    private final IndexOutput[] outputs;
    private final SortBuffer[] buffers;
    /** Whether a buffer was emptied since the unit began. */
    private final boolean[] emptied;

    private final @Nullable CheckpointWriter checkpoints;
    private final @Nullable BufferJournal journal;
    private CheckpointUnit unit;

    /**
     * Creates empty buffers.
     *
     * @param clock measures the worker's activities
     * @param checkpoints records what was read and handed over, or null
     * @param journal keeps a copy of the buffers' contents for the process that resumes the import; or null
     */
    public BufferedOut(
            StageClock clock,
            MemoryPlan memory,
            List<? extends IndexOutput> outputs,
            @Nullable CheckpointWriter checkpoints,
            @Nullable Journal journal) {
        this.clock = clock;
        this.checkpoints = checkpoints;
        this.outputs = outputs.toArray(new IndexOutput[0]);
        Sorter sorter = new Sorter();
        List<SortBuffer> all = new ArrayList<>();
        for (IndexOutput output : outputs) {
            int arenaBytes = output.ordinal() == 0 ? memory.primaryArenaBytes() : memory.secondaryArenaBytes();
            all.add(new SortBuffer(arenaBytes, MemoryPlan.maxEntries(arenaBytes), sorter));
        }
        buffers = all.toArray(new SortBuffer[0]);
        emptied = new boolean[buffers.length];
        this.journal = journal == null ? null : new BufferJournal(journal.writer(), buffers);
        begin();
    }

    /** Starts the next checkpoint unit. */
    private void begin() {
        Arrays.fill(emptied, false);
        unit = new CheckpointUnit(outputs.length, clock);
        if (journal != null) {
            unit.keep(journal.begin());
        }
    }

    /** Measures what the thread does next. */
    public void enter(Stage stage) {
        clock.enter(stage);
    }

    /** Sets the journal file that the next KVs come from; it is released when their checkpoint unit is done. */
    public void keep(JournalFile file) {
        unit.keep(file);
    }

    @Override
    public List<? extends KvTarget> targets() {
        return List.of(buffers);
    }

    @Override
    public void rowEncoded() throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i].isFull()) {
                if (journal != null) {
                    journal.emptying(i);
                }
                outputs[i].take(buffers[i], unit);
                emptied[i] = true;
                clock.enter(Stage.DECODE);
            }
        }
    }

    @Override
    public boolean wantsChunks() {
        return journal != null;
    }

    @Override
    public void chunkEnded(ReadSplit chunk) {
        read(chunk);
        recordDone();
    }

    private void read(ReadSplit chunk) {
        // Each attempt passes the same end: a record that begins with it would have the key of an earlier one.
        if (chunk.passedOver()) {
            return;
        }
        if (checkpoints != null) {
            unit.read(chunk);
        }
        if (journal != null) {
            clock.enter(Stage.DISK);
            journal.chunkEnded(chunk);
        }
    }

    private void recordDone() {
        if (checkpoints != null) {
            clock.enter(Stage.DISK);
            checkpoints.recordDone();
        }
    }

    @Override
    public void splitEnded(ReadSplit split) throws IOException, InterruptedException {
        read(split);
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].splitEnded(buffers[i], unit);
            emptied[i] |= buffers[i].isEmpty();
        }
        if (journal != null) {
            journal.emptied();
        }
        if (checkpoints != null && checkpoints.isFull(unit, wellFilled())) {
            flush();
        }
        recordDone();
    }

    /** Whether every buffer was emptied since the unit began, or is half full. */
    private boolean wellFilled() {
        for (int i = 0; i < buffers.length; i++) {
            if (!emptied[i] && !buffers[i].isHalfFull()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void inputEnded() throws IOException, InterruptedException {
        flush();
    }

    /** Empties all buffers and starts the next checkpoint unit. */
    private void flush() throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].take(buffers[i], unit);
        }
        if (checkpoints != null) {
            checkpoints.flushed(unit);
            begin();
        }
    }
}
