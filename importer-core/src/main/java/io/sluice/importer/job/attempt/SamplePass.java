package io.sluice.importer.job.attempt;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.SplitPlanner;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Table;
import java.util.List;

/**
 * The first pass of mode two-pass: reads all input into the planner, and asks the node for the keys at which to split
 * the table. If there are too many bad rows, the import ends here, before anything was sent.
 */
public final class SamplePass {
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

    /** Reads the input and splits every index; returns a description of the sample. */
    String run(ImportSession session) throws InterruptedException {
        RejectLog rejects = new RejectLog(context.settings().rejects().limit(), RejectSink.NONE);
        new InputReader(context.reading(), inputs).read(rejects, clock -> {
            List<? extends KvTarget> targets = planner.newWorker();
            return () -> targets;
        });
        Table table = context.table();
        for (int i = 0; i < table.indexes().size(); i++) {
            int indexId = table.indexes().get(i).def().id();
            List<byte[]> keys = planner.splitKeys(i);
            context.borders().add(indexId, keys);
            session.chooseCuts(indexId, keys);
        }
        context.progress().restart();
        return planner.describe();
    }
}
