package io.sluice.importer.job;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.node.NodeClient;
import io.sluice.api.schema.TableDef;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an import is to do and with whom: what all attempts at it in one run have in common.
 *
 * @param importId names it for the nodes; null: it cannot be resumed
 * @param planner finds the keys at which to divide the table, in mode two-pass
 * @param journal directory for what is not with the nodes for good, or null
 * @param inputBytes length of all inputs as they are stored; -1: not known
 * @param verified told what verification has found, good or bad
 */
record ImportSetup(
        NodeClient node,
        TableDef table,
        List<InputFile> inputs,
        ImportSettings settings,
        ImportProgress progress,
        @Nullable UUID importId,
        @Nullable SplitPlanner planner,
        ImportEvents events,
        ImportControl control,
        ImportClock clock,
        @Nullable Path journal,
        long inputBytes,
        Consumer<VerificationReport> verified) {
    /** What ties it to earlier runs. */
    Resumption resumption() {
        return new Resumption(table, inputs, settings, importId, events);
    }

    /**
     * Does what comes before there is anything on the nodes that is this run's.
     *
     * @throws io.sluice.api.error.ImportPausedException when a node does not answer and the import has an id
     * @throws InterruptedException when the thread is interrupted and nobody has asked for it
     */
    <T extends @Nullable Object> T prepare(Supplier<T> preparation) throws InterruptedException {
        try {
            control.check();
            return preparation.get();
        } catch (OperationFailedException | InterruptedException e) {
            SluiceException told = Stopping.notBegun(this);
            if (told != null) {
                throw told;
            }
            if (e instanceof NodeUnreachableException lost && importId != null) {
                throw Stopping.paused(this, lost, "node " + lost.node() + " is back");
            }
            throw e;
        }
    }

    /**
     * Takes a step, unless the import was asked to stop.
     *
     * @throws InterruptedException when it was, or is meanwhile
     */
    <T> T step(String name, ImportProgress.Phase phase, ImportClock.Step<T> step)
            throws IOException, InterruptedException {
        control.check();
        return clock.timed(name, phase, () -> {
            events.entered(phase);
            return step.run();
        });
    }
}
