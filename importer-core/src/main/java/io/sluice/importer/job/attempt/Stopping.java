package io.sluice.importer.job.attempt;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.job.read.DiskAdvice;
import io.sluice.importer.ship.Shipper;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.NodeBusyException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Interrupts;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Ends an import that cannot finish: detaches or undoes it, and chooses the error to throw:
 *
 * <pre>
 *   what happened                        it can be resumed       it cannot
 *   pause requested                      detached, paused        undone, paused, starts over
 *   the same, after an earlier run has
 *   finished all but the publication     detached, paused
 *   a node does not answer, has no room  detached, paused        undone, fails
 *   work fails before all was read       detached, paused        undone, fails
 *   any failure during publication       detached, paused        undone, fails, unless it is published
 *   an interrupt before publication      undone, fails           undone, fails
 *   anything else, also bad input        undone, fails           undone, fails
 * </pre>
 */
final class Stopping {
    /** Phase of an import, as far as it decides about a failure. */
    enum Moment {
        /** Reading with checkpoint records: a failed import can be resumed later. */
        READING,
        /** Publication: nodes have the record that the import is finished, and some may have published it. */
        PUBLISHING,
        /** Any other phase. */
        ANY
    }

    private final ImportSetup setup;
    private final ImportSession session;
    private final Shipper shipper;

    Stopping(ImportSetup setup, ImportSession session, Shipper shipper) {
        this.setup = setup;
        this.session = session;
        this.shipper = shipper;
    }

    /**
     * Detaches or undoes the import; afterwards nothing of it is under way.
     *
     * @param failure the failure that ended the import
     * @return the exception to throw; null: the failure itself
     */
    @Nullable
    SluiceException after(Exception failure, Moment moment) {
        boolean requested = setup.control().stopped();
        // Clear the interrupt: the requests below must reach the nodes, or the import would be neither detached nor
        // undone.
        boolean interrupted = Thread.interrupted();
        try {
            shipper.stop();
            shipper.close();
            if (requested) {
                return failure instanceof BadInputException && !Interrupts.caused(failure)
                        ? undone(failure)
                        : paused(failure, moment);
            }
            return interrupted && moment == Moment.READING && Interrupts.caused(failure)
                    ? undone(failure)
                    : failed(failure, moment);
        } finally {
            if (interrupted && !requested) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exception to throw if a stop was requested before the import started; null otherwise. */
    static @Nullable SluiceException stoppedBeforeStart(ImportSetup setup) {
        if (!setup.control().stopped()) {
            return null;
        }
        // The interrupt has done its work.
        boolean unused = Thread.interrupted();
        return ImportPausedException.onRequest(
                "the import into table " + setup.table().name() + " is paused, as asked, before it began; run it again",
                !setup.resumption().keepsCheckpoints());
    }

    private static void undo(String what, Runnable undoing) {
        try {
            undoing.run();
        } catch (OperationFailedException e) {
            throw new OperationFailedException(
                    what + " and could not be undone: " + e.getMessage() + "\nCancel it again when that is fixed", e);
        }
    }

    private SluiceException paused(Exception failure, Moment moment) {
        clear(setup.settings().resources().workDirectory(), failure);
        String what = "the import into table " + setup.table().name() + " is paused, as asked";
        if (!setup.resumption().keepsCheckpoints() && moment != Moment.PUBLISHING) {
            undo(what, session::close);
            return ImportPausedException.onRequest(
                    what + "; an import of this kind keeps no work while paused: run it again, and it starts over",
                    true);
        }
        detach(failure);
        return ImportPausedException.onRequest(
                what + "\nNodes keep what they have. To go on, run the same command with --job-id "
                        + setup.resumption().name(),
                false);
    }

    private @Nullable SluiceException failed(Exception failure, Moment moment) {
        if (moment == Moment.PUBLISHING) {
            detach(failure);
            return paused(setup, failure, "that is fixed", " was about to be published, and is paused, because ");
        }
        if (failure instanceof NodeUnreachableException lost && setup.importId() != null) {
            detach(lost);
            return paused(setup, lost, "node " + lost.described() + " is back");
        }
        if (failure instanceof NodeBusyException busy && setup.importId() != null) {
            detach(busy);
            return paused(setup, busy, "there is room");
        }
        if (failure instanceof OperationFailedException work && moment == Moment.READING) {
            detach(work);
            return paused(setup, work, "that is fixed");
        }
        return undone(failure);
    }

    static ImportPausedException paused(ImportSetup setup, OperationFailedException cause, String when) {
        return paused(setup, cause, when, " is paused, because ");
    }

    private static ImportPausedException paused(ImportSetup setup, Exception cause, String when, String what) {
        return new ImportPausedException(
                "the import into table " + setup.table().name() + what + DiskAdvice.reason(cause),
                false,
                "Nodes keep what they have. When " + when + ", run the same command with --job-id "
                        + setup.resumption().name(),
                cause);
    }

    /** Detaches the session. A node that cannot be reached keeps the import all the same. */
    private void detach(Exception failure) {
        try {
            session.detach();
        } catch (OperationFailedException e) {
            failure.addSuppressed(e);
        }
    }

    private @Nullable SluiceException undone(Exception failure) {
        close(session, failure);
        return null;
    }

    /** Undoes an import that is not published; errors are added to the failure as suppressed. */
    static void close(ImportSession session, Exception failure) {
        try {
            session.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Removes the files in the import's work directory; the caller removes what is left. */
    private static void clear(Path directory, Exception failure) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, Files::isRegularFile)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }
}
