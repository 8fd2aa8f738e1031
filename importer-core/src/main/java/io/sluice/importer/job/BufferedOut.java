package io.sluice.importer.job;

import io.sluice.importer.encode.KvTarget;
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
    private final @Nullable Watermarks watermarks;
    private FlushGroup group;

    /**
     * Empty buffers.
     *
     * @param watermarks told what was read and handed over, or null
     */
    BufferedOut(MemoryPlan memory, List<? extends BufferSink> outputs, @Nullable Watermarks watermarks) {
        this.watermarks = watermarks;
        group = new FlushGroup(outputs.size());
        this.outputs = outputs.toArray(new BufferSink[0]);
        Sorter sorter = new Sorter();
        List<SortBuffer> all = new ArrayList<>();
        for (BufferSink output : outputs) {
            int arenaBytes = output.ordinal() == 0 ? memory.primaryArenaBytes() : memory.secondaryArenaBytes();
            all.add(new SortBuffer(arenaBytes, MemoryPlan.maxEntries(arenaBytes), sorter));
        }
        buffers = all.toArray(new SortBuffer[0]);
    }

    @Override
    public List<? extends KvTarget> targets() {
        return List.of(buffers);
    }

    @Override
    public void rowEncoded(StageClock clock) throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i].isFull()) {
                outputs[i].take(buffers[i], group, clock);
                clock.enter(Stage.DECODE);
            }
        }
    }

    @Override
    public void splitEnded(ReadSplit split, StageClock clock) throws IOException, InterruptedException {
        for (int i = 0; i < buffers.length; i++) {
            outputs[i].splitEnded(buffers[i], group, clock);
        }
        Watermarks marks = watermarks;
        if (marks != null) {
            group.read(split);
            if (marks.isFull(group)) {
                flush(clock);
            }
            clock.enter(Stage.DISK);
            marks.noteDone();
        }
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
            group = new FlushGroup(outputs.length);
        }
    }
}
