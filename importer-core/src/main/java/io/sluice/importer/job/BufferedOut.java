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

/** KVs of one worker are gathered in a sort buffer per index, and full ones passed on to the index's output. */
final class BufferedOut implements KvsOut {
    private final BufferSink[] outputs;
    private final SortBuffer[] buffers;
    private final @Nullable CheckpointWriter watermarks;
    private final @Nullable BufferJournal journal;
    private CheckpointUnit group;

    /**
     * Empty buffers.
     *
     * @param watermarks told what was read and handed over, or null
     */
    BufferedOut(MemoryPlan memory, List<? extends BufferSink> outputs, @Nullable CheckpointWriter watermarks) {
        this(memory, outputs, watermarks, null);
    }

    /**
     * Empty buffers.
     *
     * @param journal holds what is in the buffers, for whoever goes on with the import; or null
     */
    BufferedOut(
            MemoryPlan memory,
            List<? extends BufferSink> outputs,
            @Nullable CheckpointWriter watermarks,
            @Nullable Journal journal) {
        this.watermarks = watermarks;
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

    /** What comes next belongs to another group. */
    private void begin() {
        group = new CheckpointUnit(outputs.length);
        if (journal != null) {
            group.keep(journal.begin());
        }
    }

    /** Names the file that what comes next was taken from; it is released when that is done. */
    void keep(JournalFile file) {
        group.keep(file);
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
                    journal.leaving(i);
                }
                outputs[i].take(buffers[i], group, clock);
                clock.enter(Stage.DECODE);
            }
        }
    }

    @Override
    public boolean wantsPieces() {
        return journal != null;
    }

    @Override
    public void pieceEnded(ReadSplit piece, StageClock clock) {
        read(piece, clock);
        noteDone(clock);
    }

    private void read(ReadSplit piece, StageClock clock) {
        if (watermarks != null) {
            group.read(piece);
        }
        if (journal != null) {
            clock.enter(Stage.DISK);
            journal.ended(piece);
        }
    }

    private void noteDone(StageClock clock) {
        if (watermarks != null) {
            clock.enter(Stage.DISK);
            watermarks.noteDone();
        }
    }

    @Override
    public void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException {
        read(split, clock);
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].splitEnded(buffers[i], group, clock);
        }
        if (journal != null) {
            journal.emptied();
        }
        if (watermarks != null && watermarks.isFull(group)) {
            flush(clock);
        }
        noteDone(clock);
    }

    @Override
    public void inputEnded(StageClock clock) throws IOException, InterruptedException {
        flush(clock);
    }

    /** Empties all buffers; what comes next belongs to another group. */
    private void flush(StageClock clock) throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].take(buffers[i], group, clock);
        }
        if (watermarks != null) {
            watermarks.flushed(group);
            begin();
        }
    }
}
