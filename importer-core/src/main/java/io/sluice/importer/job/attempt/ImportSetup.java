package io.sluice.importer.job.attempt;

import io.sluice.api.node.ImportTarget;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.SplitPlanner;
import io.sluice.importer.job.VerificationReport;
import io.sluice.importer.job.report.ImportClock;
import io.sluice.importer.job.resume.Resumption;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The inputs, settings and collaborators that all attempts in one run share.
 *
 * @param resumption the link to earlier runs
 * @param planner finds the keys that split the table among several nodes
 * @param journal directory for KVs that nodes do not have durably, or null
 * @param textBytes guessed length of all inputs as text; -1: not known
 * @param verified receives the result of the verification, good or bad
 */
public record ImportSetup(
        ImportTarget node,
        Resumption resumption,
        @Nullable SplitPlanner planner,
        ImportControl control,
        ImportClock clock,
        @Nullable Path journal,
        long textBytes,
        Consumer<VerificationReport> verified) {
    TableDef table() {
        return resumption.table();
    }

    List<InputFile> inputs() {
        return resumption.inputs();
    }

    ImportSettings settings() {
        return resumption.settings();
    }

    /** Id of the import on the nodes; null: it cannot be resumed. */
    @Nullable
    UUID importId() {
        return resumption.importId();
    }

    ImportEvents events() {
        return resumption.events();
    }

    ImportProgress progress() {
        return clock.progress();
    }

    /**
     * Runs work that precedes this run's first change on the nodes.
     *
     * @throws io.sluice.model.error.ImportPausedException when a node does not answer and the import has an id
     * @throws InterruptedException when the thread is interrupted without a requested stop
     */
    public <T extends @Nullable Object> T prepare(Supplier<T> preparation) throws InterruptedException {
        try {
            control.check();
            return preparation.get();
        } catch (OperationFailedException | InterruptedException e) {
            SluiceException error = Stopping.stoppedBeforeStart(this);
            if (error != null) {
                throw error;
            }
            if (e instanceof NodeUnreachableException lost && importId() != null) {
                throw Stopping.paused(this, lost, "node " + lost.described() + " is back");
            }
            throw e;
        }
    }

    /**
     * Runs a step, unless a stop was requested.
     *
     * @throws InterruptedException if a stop was requested, or is during the step
     */
    <T> T step(String name, ImportProgress.Phase phase, ImportClock.Step<T> step)
            throws IOException, InterruptedException {
        control.check();
        return clock.timed(name, phase, () -> {
            events().entered(phase);
            return step.run();
        });
    }
}
