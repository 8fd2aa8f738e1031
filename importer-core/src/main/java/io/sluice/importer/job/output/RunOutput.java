package io.sluice.importer.job.output;

import io.sluice.api.node.SstFile;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.resume.CheckpointUnit;
import io.sluice.importer.sort.Run;
import io.sluice.importer.sort.RunStore;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sst.SstBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects the KVs of one index for the final merge.
 *
 * <p>While KVs come in order, each split becomes an SST at once. The first buffer that is out of order, or the first
 * SST that overlaps another, ends this. From then on buffers are sorted into runs, which are merged after all input was
 * read.
 */
public final class RunOutput extends IndexOutput {
    private final RunStore runs;
    private volatile boolean streaming;

    /** Largest keys of the streamed SSTs by their smallest keys. */
    private final TreeMap<byte[], byte[]> streamedSpans = new TreeMap<>(Arrays::compareUnsigned);

    private final List<SstFile> streamed = new ArrayList<>();

    /**
     * Creates an empty output.
     *
     * @param streaming whether KVs in order become SSTs at once; if not, all KVs become runs
     */
    public RunOutput(int ordinal, ImportContext context, boolean streaming) {
        super(ordinal, context);
        this.streaming = streaming;
        runs = new RunStore(
                "index-" + context.table().indexes().get(ordinal).def().id(),
                context.runSettings(),
                context.runBudget());
    }

    @Override
    void splitEnded(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException {
        if (!streaming || buffer.bytes() < MIN_STREAMED_BYTES) {
            return;
        }
        if (buffer.cameInOrder()) {
            take(buffer, unit);
        } else {
            streaming = false;
        }
    }

    @Override
    void take(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException {
        if (buffer.isEmpty()) {
            return;
        }
        if (streaming && buffer.cameInOrder()) {
            unit.enter(Stage.SST);
            stream(buffer, unit);
        } else {
            streaming = false;
            unit.enter(Stage.SORT);
            buffer.sort();
            runs.add(buffer);
        }
    }

    private void stream(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException {
        SstBuilder builder = newSst();
        byte[] smallest;
        byte[] largest;
        try {
            passOn(buffer::drainTo, builder);
            smallest = builder.smallestKey();
            largest = builder.largestKey();
            unit.enter(Stage.DISK);
            context().shipper().finish(builder, this::streamed);
        } catch (IOException | InterruptedException | RuntimeException e) {
            builder.close();
            throw e;
        }
        buffer.clear();
        synchronized (this) {
            if (overlapsStreamed(smallest, largest)) {
                streaming = false;
            }
            streamedSpans.put(smallest, largest);
        }
    }

    private boolean overlapsStreamed(byte[] smallest, byte[] largest) {
        Map.Entry<byte[], byte[]> below = streamedSpans.floorEntry(largest);
        return below != null && Arrays.compareUnsigned(below.getValue(), smallest) >= 0;
    }

    private synchronized void streamed(SstFile sst) {
        streamed.add(sst);
    }

    /** The SSTs written so far; waits until they are on disk. */
    List<SstFile> streamed() throws InterruptedException {
        context().shipper().awaitAll();
        synchronized (this) {
            return List.copyOf(streamed);
        }
    }

    public List<Run> runs() {
        return runs.runs();
    }

    @Override
    public long spilledBytes() {
        return runs.spilledBytes();
    }

    @Override
    public void close() throws IOException {
        runs.close();
    }
}
