package io.sluice.importer.job.verify;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.output.BufferedOut;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.output.RunOutput;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.job.read.KvsOut;
import io.sluice.importer.sort.Merge;
import io.sluice.importer.sort.SpanPlan;
import io.sluice.importer.sort.UniqueSink;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds repeated keys by reading the input again and merging its KVs without writing them. In mode direct equal keys
 * meet only in the node, which keeps one of them. The number of KVs shows that there are repeats; only this search
 * shows which. It costs a second import's reading and sorting, and runs only if there are repeats.
 */
final class RepeatSearch {
    private final ImportContext context;
    private final List<InputFile> inputs;

    RepeatSearch(ImportContext context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
    }

    /**
     * Replaces the contents of the import's conflict log by all conflicts and duplicates of the input.
     *
     * @return checksums of the input per index, with each key counted once
     * @throws BadInputException when the input cannot be read a second time
     */
    List<IndexChecksum> run() throws IOException, InterruptedException {
        for (InputFile input : inputs) {
            if (!input.repeatable()) {
                throw new BadInputException("some rows have the same key, and " + input.name()
                        + " cannot be read again to tell which; nothing was imported. Use --mode merge");
            }
        }
        Buckets whole = Buckets.whole(context.table());
        List<List<KvChecksum>> sums = byBucket(whole, null);
        List<IndexChecksum> indexes = new ArrayList<>();
        for (int i = 0; i < sums.size(); i++) {
            String name = context.table().indexes().get(i).def().name();
            indexes.add(new IndexChecksum(name, sums.get(i).get(0)));
        }
        return indexes;
    }

    /**
     * As {@link #run}, with checksums per bucket.
     *
     * @param counts counts the rows of each input per bucket, or null
     * @return checksums of the input per index and bucket, with each key counted once
     * @throws BadInputException when the input cannot be read a second time
     */
    List<List<KvChecksum>> byBucket(Buckets buckets, @Nullable SourceCounts counts)
            throws IOException, InterruptedException {
        for (InputFile input : inputs) {
            if (!input.repeatable()) {
                throw new BadInputException(input.name() + " can be read only once");
            }
        }
        context.conflicts().clear();
        ImportContext again = context.readingAgain(new ImportProgress());
        List<RunOutput> outputs = new ArrayList<>();
        try {
            RejectLog rejects = new RejectLog(context.settings().rejects().limit(), RejectSink.NONE);
            for (int i = 0; i < context.table().indexes().size(); i++) {
                outputs.add(new RunOutput(i, again, false));
            }
            new InputReader(again.reading(), inputs).read(rejects, clock -> {
                KvsOut out = new BufferedOut(clock, again.memory(), outputs, null, null);
                return counts == null ? out : counts.counting(out, buckets);
            });
            List<List<KvChecksum>> sums = new ArrayList<>();
            for (RunOutput output : outputs) {
                sums.add(merge(output, buckets));
            }
            return sums;
        } finally {
            for (RunOutput output : outputs) {
                output.close();
            }
        }
    }

    private List<KvChecksum> merge(RunOutput output, Buckets buckets) throws IOException {
        int ordinal = output.ordinal();
        List<KvChecksum.Accumulator> sums = Stream.generate(() -> new KvChecksum.Accumulator(output.digest()))
                .limit(buckets.count(ordinal))
                .toList();
        UniqueSink unique = new UniqueSink(
                (buffer, keyOffset, keyLength, valueLength) -> sums.get(
                                buckets.of(ordinal, buffer, keyOffset, keyLength))
                        .add(buffer, keyOffset, keyLength, valueLength),
                output.digest(),
                ordinal,
                context.conflicts());
        Merge.part(output.runs(), SpanPlan.Part.ALL, unique);
        KvChecksum unused = unique.finish();
        return sums.stream().map(KvChecksum.Accumulator::sum).toList();
    }
}
