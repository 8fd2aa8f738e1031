package io.sluice.importer.job.attempt;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.attempt.Recovery.Recovered;
import io.sluice.importer.job.output.BufferedOut;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.output.IndexOutput;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.job.read.StageClock;
import io.sluice.importer.job.resume.CheckpointWriter;
import io.sluice.importer.job.resume.PastWork;
import io.sluice.importer.journal.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The reading step. It skips what earlier attempts have done, and takes from the journal what they have journaled. */
final class ReadStep {
    /** Most checkpoint units of one worker that are journaled at once; further units are not journaled. */
    private static final int JOURNALED_UNITS = 4;

    private final ImportSetup setup;
    private final ImportContext context;
    private final PastWork past;
    private final RejectLog rejects;
    private final List<? extends IndexOutput> outputs;
    private final @Nullable CheckpointWriter checkpoints;

    /**
     * Creates the step.
     *
     * @param past the work of earlier attempts
     * @param checkpoints records what was read and handed over; null: the import cannot be resumed
     */
    ReadStep(
            ImportSetup setup,
            ImportContext context,
            PastWork past,
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            @Nullable CheckpointWriter checkpoints) {
        this.setup = setup;
        this.context = context;
        this.past = past;
        this.rejects = rejects;
        this.outputs = outputs;
        this.checkpoints = checkpoints;
    }

    /** Reads the input to its end. Returns the checksums of the KVs that went to the outputs, per index. */
    List<IndexChecksum> run() throws IOException, InterruptedException {
        context.conflicts().resumeFrom(past.repeated());
        try (Journal journal = journal()) {
            if (journal == null) {
                return read(past, null);
            }
            BufferedOut out =
                    new BufferedOut(new StageClock(context.progress()), context.memory(), outputs, checkpoints, null);
            Recovered recovered = Recovery.run(context, past, journal.left(), out);
            return IndexChecksum.addEach(recovered.encoded(), read(recovered.done(), journal));
        }
    }

    private @Nullable Journal journal() {
        Path directory = setup.journal();
        UUID importId = setup.importId();
        if (directory == null || importId == null || checkpoints == null) {
            return null;
        }
        int files = JOURNALED_UNITS * context.settings().resources().workers();
        long tableId = context.table().id();
        return Journal.open(directory, importId, tableId, files, setup.events()::tell);
    }

    private List<IndexChecksum> read(PastWork done, @Nullable Journal journal) throws InterruptedException {
        if (context.session().resumed()) {
            long journaled = done.rows() - past.rows();
            setup.events()
                    .tell("resuming the import: " + done.rows() + " rows were done before"
                            + (journaled == 0 ? "" : ", " + journaled + " of them come from the journal"));
        }
        rejects.resumeFrom(done.rejects(), done.rows());
        setup.progress().resumeFrom(done.rows(), done.rejects(), done.spans(), setup.inputs());
        InputReader reader = new InputReader(context.reading(), setup.inputs());
        return reader.read(
                rejects,
                done.spans(),
                clock -> new BufferedOut(clock, context.memory(), outputs, checkpoints, journal));
    }
}
