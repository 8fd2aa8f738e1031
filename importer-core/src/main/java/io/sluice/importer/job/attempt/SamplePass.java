package io.sluice.importer.job.attempt;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.job.SplitPlanner;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.schema.Table;
import java.util.List;

/**
 * Splits the table's keys among several nodes before anything was sent, by a sample of the input. Mode two-pass reads
 * all input for it; if there are too many bad rows, the import ends here. Mode direct reads lines from all over the
 * input: its first sorted buffer would give nearly all rows of ordered input to one node.
 */
public final class SamplePass {
    /** Input that is sampled at places: 16 MiB. Of less, the first sorted buffer has a large part. */
    private static final long LEAST_SAMPLED_BYTES = 16L << 20;

    private final ImportContext context;
    private final List<InputFile> inputs;
    private final SplitPlanner planner;

    SamplePass(ImportContext context, List<InputFile> inputs, SplitPlanner planner) {
        this.context = context;
        this.inputs = inputs;
        this.planner = planner;
    }

    /**
     * Checks that the input can be read twice.
     *
     * @throws BadInputException naming the first input that cannot
     */
    public static void ensureReadableTwice(List<InputFile> inputs) {
        for (InputFile input : inputs) {
            if (input.sizeBytes() < 0 || !input.repeatable()) {
                throw new BadInputException("mode two-pass reads the input twice, and " + input.name()
                        + (input.origin().remote()
                                ? " may be another file by then: its server does not say which version it is"
                                : " can be read only once")
                        + "; use --mode merge or --mode direct");
            }
        }
    }

    /** Reads all input and splits every index; returns a description of the sample. */
    String run(ImportSession session) throws InterruptedException {
        RejectLog rejects = new RejectLog(context.settings().rejects().limit(), RejectSink.NONE);
        new InputReader(context.reading(), inputs).read(rejects, clock -> {
            List<? extends KvTarget> targets = planner.newWorker();
            return () -> targets;
        });
        Table table = context.table();
        for (int i = 0; i < table.indexes().size(); i++) {
            List<byte[]> keys = new IndexKeys(table).borders(i, planner.splitKeys(i));
            context.borders().add(table.indexes().get(i).def().id(), keys);
            split(session, i, keys);
        }
        context.progress().restart();
        return planner.describe();
    }

    /**
     * Splits every index that has KVs in a sample from all over the input. Does nothing if the input is small or can
     * only be read from its start: the first sorted buffer of each index then splits it.
     */
    void runOverPlaces(ImportSession session) {
        long bytes = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        Table table = context.table();
        if (bytes < LEAST_SAMPLED_BYTES
                || !InputScan.spread(table, inputs, context.settings().format(), planner.newWorker())) {
            return;
        }
        for (int i = 0; i < table.indexes().size(); i++) {
            List<byte[]> keys = new IndexKeys(table).borders(i, planner.splitKeys(i));
            if (!keys.isEmpty()) {
                split(session, i, keys);
            }
        }
    }

    private void split(ImportSession session, int index, List<byte[]> keys) {
        List<byte[]> unused =
                session.chooseCuts(context.table().indexes().get(index).def().id(), keys);
    }
}
