package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.schema.Table;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.source.InputFile;
import java.util.List;

/**
 * The first of the two passes: reads everything, lets the planner see every KV, and asks the node where it wants the
 * keys divided. Bad rows end the import here, if there are too many, before anything was sent.
 */
final class SamplePass {
    /** Key of the note that says that the pass is done, and what of. */
    static final String NOTE = "sampled";

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
    static void ensureReadableTwice(List<InputFile> inputs) {
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

    /** Reads the input and divides every index; returns what was sampled, in a few words. */
    String run(ImportSession session) throws InterruptedException {
        RejectLog rejects = new RejectLog(context.settings().maxRejects(), RejectSink.NONE);
        new InputReader(context.reading(), inputs).read(rejects, () -> new SampleOut(planner.newWorker()));
        Table table = context.table();
        for (int i = 0; i < table.indexes().size(); i++) {
            int indexId = table.indexes().get(i).def().id();
            List<byte[]> keys = planner.splitKeys(i);
            context.borders().divided(indexId, keys);
            session.chooseCuts(indexId, keys);
        }
        context.progress().restart();
        return planner.describe();
    }
}
