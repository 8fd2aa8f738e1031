package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.Recovery.Recovered;
import io.sluice.importer.journal.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The step that reads: what earlier attempts have done is passed over, what they have journaled is taken from there.
 */
final class ReadStep {
    /** Groups of one worker that are open, or on their way to nodes, at once; what is more is not journaled. */
    private static final int JOURNALED_GROUPS = 4;

    private final ImportSetup setup;
    private final ImportContext context;
    private final PastWork past;
    private final RejectLog rejects;
    private final List<? extends IndexOutput> outputs;
    private final @Nullable CheckpointWriter watermarks;

    /**
     * A step that is not begun.
     *
     * @param past what earlier attempts have noted
     * @param watermarks told what was read and handed over; null: it is not worth it
     */
    ReadStep(
            ImportSetup setup,
            ImportContext context,
            PastWork past,
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            @Nullable CheckpointWriter watermarks) {
        this.setup = setup;
        this.context = context;
        this.past = past;
        this.rejects = rejects;
        this.outputs = outputs;
        this.watermarks = watermarks;
    }

    /** Reads the input to its end. Returns what went to the outputs, per index. */
    List<IndexChecksum> run() throws IOException, InterruptedException {
        try (Journal journal = journal()) {
            if (journal == null) {
                return read(past, null);
            }
            BufferedOut out = new BufferedOut(context.memory(), outputs, watermarks);
            Recovered recovered = Recovery.run(context, past, journal.left(), out);
            return IndexChecksum.addEach(recovered.encoded(), read(recovered.done(), journal));
        }
    }

    private @Nullable Journal journal() {
        Path directory = setup.journal();
        UUID importId = setup.importId();
        if (directory == null || importId == null || watermarks == null) {
            return null;
        }
        int files = JOURNALED_GROUPS * context.settings().workers();
        long tableId = context.table().id();
        return Journal.open(directory, importId, tableId, files, setup.events()::tell);
    }

    private List<IndexChecksum> read(PastWork done, @Nullable Journal journal) throws InterruptedException {
        if (context.session().resumed()) {
            long journaled = done.rows() - past.rows();
            setup.events()
                    .tell("going on with the import: " + done.rows() + " rows were done before"
                            + (journaled == 0 ? "" : ", " + journaled + " of them are taken from the journal"));
        }
        rejects.goOnFrom(done.rejects(), done.rows());
        setup.progress().goOnFrom(done, setup.inputs());
        context.conflicts().goOnFrom(done.repeated());
        InputReader reader = new InputReader(context.reading(), setup.inputs());
        return reader.read(
                rejects, done.spans(), () -> new BufferedOut(context.memory(), outputs, watermarks, journal));
    }
}
