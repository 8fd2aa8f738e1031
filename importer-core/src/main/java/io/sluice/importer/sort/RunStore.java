package io.sluice.importer.sort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sorted runs of one index, in memory while the budget lasts, else in files. When a generation has as many files as
 * one merge may read, they are merged into one file of the next generation. So any amount of input gives a bounded
 * number of runs. Usable by several threads.
 */
public final class RunStore implements AutoCloseable {
    private final Settings settings;
    private final MemoryBudget budget;
    private final String name;
    private final AtomicInteger nextFile = new AtomicInteger();
    private final AtomicLong spilledBytes = new AtomicLong();

    private final List<Run> runs = new ArrayList<>();
    private final List<List<SpilledRun>> generations = new ArrayList<>();
    private long reservedBytes;

    /**
     * Settings of spilling.
     *
     * @param directory directory of the files
     * @param fanIn most runs that are merged at once
     * @param blockBytes bytes of a file per read
     */
    public record Settings(Path directory, int fanIn, int blockBytes) {}

    /** Creates a store; its file names begin with {@code name}, which must be unique in the directory. */
    public RunStore(String name, Settings settings, MemoryBudget budget) {
        this.name = name;
        this.settings = settings;
        this.budget = budget;
    }

    /** Takes the entries of a sorted buffer; the buffer is empty afterwards. */
    public void add(SortBuffer buffer) throws IOException {
        if (buffer.isEmpty()) {
            return;
        }
        long bytes = buffer.arena().length + (long) Integer.BYTES * buffer.count();
        if (budget.tryReserve(bytes)) {
            MemoryRun run = buffer.seal();
            synchronized (this) {
                reservedBytes += bytes;
                runs.add(run);
            }
            return;
        }
        try (SpillWriter writer = newWriter()) {
            buffer.drainTo(writer);
            spilled(writer.finish(), 0);
        }
        buffer.clear();
    }

    private SpillWriter newWriter() throws IOException {
        Path path = settings.directory.resolve(name + "-" + nextFile.getAndIncrement() + ".run");
        return new SpillWriter(path, settings.blockBytes);
    }

    /** Registers a spilled run; merges its generation if it has reached the fan-in. */
    private void spilled(SpilledRun first, int firstGeneration) throws IOException {
        SpilledRun run = first;
        for (int generation = firstGeneration; ; generation++) {
            spilledBytes.addAndGet(run.bytes());
            List<SpilledRun> full = file(run, generation);
            if (full.isEmpty()) {
                return;
            }
            run = merge(full);
        }
    }

    private synchronized List<SpilledRun> file(SpilledRun run, int generation) {
        if (generations.size() == generation) {
            generations.add(new ArrayList<>());
        }
        List<SpilledRun> siblings = generations.get(generation);
        siblings.add(run);
        if (siblings.size() < settings.fanIn) {
            return List.of();
        }
        generations.set(generation, new ArrayList<>());
        return siblings;
    }

    private SpilledRun merge(List<SpilledRun> siblings) throws IOException {
        try (SpillWriter writer = newWriter()) {
            Merge.part(siblings, SpanPlan.Part.ALL, writer);
            return writer.finish();
        } finally {
            for (SpilledRun sibling : siblings) {
                sibling.close();
            }
        }
    }

    /** All current runs. */
    public synchronized List<Run> runs() {
        List<Run> all = new ArrayList<>(runs);
        generations.forEach(all::addAll);
        return all;
    }

    /** Bytes written to files so far, those of merged files included. */
    public long spilledBytes() {
        return spilledBytes.get();
    }

    /** Closes all runs, deletes their files and releases their memory. */
    @Override
    public synchronized void close() throws IOException {
        for (List<SpilledRun> siblings : generations) {
            for (SpilledRun run : siblings) {
                run.close();
            }
        }
        generations.clear();
        runs.clear();
        budget.release(reservedBytes);
        reservedBytes = 0;
    }
}
