package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the KVs of one worker in a sort buffer per index, and passes full buffers to the index's output. */
final class BufferedOut implements KvsOut {
    private final BufferSink[] outputs;
    private final SortBuffer[] buffers;
    private final @Nullable CheckpointWriter checkpoints;
    private final @Nullable BufferJournal journal;
    private CheckpointUnit unit;

    /**
     * Creates empty buffers without a journal.
     *
     * @param checkpoints records what was read and handed over, or null
     */
    BufferedOut(MemoryPlan memory, List<? extends BufferSink> outputs, @Nullable CheckpointWriter checkpoints) {
        this(memory, outputs, checkpoints, null);
    }

    /**
     * Creates empty buffers.
     *
     * @param journal keeps a copy of the buffers' contents for the process that resumes the import; or null
     */
    BufferedOut(
            MemoryPlan memory,
            List<? extends BufferSink> outputs,
            @Nullable CheckpointWriter checkpoints,
            @Nullable Journal journal) {
        this.checkpoints = checkpoints;
        this.outputs = outputs.toArray(new BufferSink[0]);
        Sorter sorter = new Sorter();
        List<SortBuffer> all = new ArrayList<>();
        for (BufferSink output : outputs) {
            int arenaBytes = output.ordinal() == 0 ? memory.primaryArenaBytes() : memory.secondaryArenaBytes();
            all.add(new SortBuffer(arenaBytes, MemoryPlan.maxEntries(arenaBytes), sorter));
        }
        buffers = all.toArray(new SortBuffer[0]);
        this.journal = journal == null ? null : new BufferJournal(journal.writer(), buffers);
        begin();
    }

    /** Starts the next checkpoint unit. */
    private void begin() {
        unit = new CheckpointUnit(outputs.length);
        if (journal != null) {
            unit.keep(journal.begin());
        }
    }

    /** Sets the journal file that the next KVs come from; it is released when their checkpoint unit is done. */
    void keep(JournalFile file) {
        unit.keep(file);
    }

    @Override
    public List<? extends KvTarget> targets() {
        return List.of(buffers);
    }

    @Override
    public void rowEncoded(StageClock clock) throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i].isFull()) {
                if (journal != null) {
                    journal.emptying(i);
                }
                outputs[i].take(buffers[i], unit, clock);
                clock.enter(Stage.DECODE);
            }
        }
    }

    @Override
    public boolean wantsChunks() {
        return journal != null;
    }

    @Override
    public void chunkEnded(ReadSplit chunk, StageClock clock) {
        read(chunk, clock);
        recordDone(clock);
    }

    private void read(ReadSplit chunk, StageClock clock) {
        if (checkpoints != null) {
            unit.read(chunk);
        }
        if (journal != null) {
            clock.enter(Stage.DISK);
            journal.chunkEnded(chunk);
        }
    }

    private void recordDone(StageClock clock) {
        if (checkpoints != null) {
            clock.enter(Stage.DISK);
            checkpoints.recordDone();
        }
    }

    @Override
    public void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException {
        read(split, clock);
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].splitEnded(buffers[i], unit, clock);
        }
        if (journal != null) {
            journal.emptied();
        }
        if (checkpoints != null && checkpoints.isFull(unit)) {
            flush(clock);
        }
        recordDone(clock);
    }

    @Override
    public void inputEnded(StageClock clock) throws IOException, InterruptedException {
        flush(clock);
    }

    /** Empties all buffers and starts the next checkpoint unit. */
    private void flush(StageClock clock) throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].take(buffers[i], unit, clock);
        }
        if (checkpoints != null) {
            checkpoints.flushed(unit);
            begin();
        }
    }
}
