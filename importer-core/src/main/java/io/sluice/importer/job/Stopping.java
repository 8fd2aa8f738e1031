package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.ImportCancelledException;
import io.sluice.api.error.ImportPausedException;
import io.sluice.api.error.NodeBusyException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.node.ImportSession;
import io.sluice.importer.ship.Shipper;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of an import that does not come to its end:
 *
 * <pre>
 *   what happened                        it can be resumed       it cannot
 *   pause asked for                      left, paused            undone, paused, begins over
 *   cancel asked for                     undone, cancelled       undone, cancelled
 *   a node does not answer, has no room  left, paused            undone, fails
 *   work fails before all was read       left, paused            undone, fails
 *   anything while it is published       left, paused            undone, fails, unless it is published
 *   anything else, also bad input        undone, fails           undone, fails
 * </pre>
 */
final class Stopping {
    /** When something ends an import. */
    enum Moment {
        /** Nodes keep what was done, so that work which fails may be done again later. */
        READING,
        /** Nodes know that nothing is left to do but to publish it, and some may have. */
        PUBLISHING,
        /** None of these. */
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
     * Leaves or undoes the import, with nothing of it under way any more when this returns.
     *
     * @param failure what ended it
     * @return what to throw; null: the failure itself
     */
    @Nullable
    SluiceException after(Exception failure, Moment moment) {
        ImportControl.Request asked = setup.control().stopped();
        // Whoever waits for nodes now must not be interrupted at that, or the import would be neither left nor undone.
        boolean interrupted = Thread.interrupted();
        try {
            shipper.stop();
            shipper.close();
            return switch (asked) {
                case CANCEL -> cancelled(failure);
                case PAUSE ->
                    failure instanceof BadInputException && !isInterrupted(failure) ? undone(failure) : paused(failure);
                case NONE -> failed(failure, moment);
            };
        } finally {
            if (interrupted && asked == ImportControl.Request.NONE) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Whether the interrupt of a requested stop caused a failure. An interrupted channel closes itself, and the step
     * that used it reports that as its own failure.
     */
    private static boolean isInterrupted(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ClosedByInterruptException || cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }

    private SluiceException cancelled(Exception failure) {
        clear(setup.settings().workDirectory(), failure);
        undo("the import into table " + setup.table().name() + " is cancelled", session::close);
        return cancelled(setup);
    }

    private static ImportCancelledException cancelled(ImportSetup setup) {
        return new ImportCancelledException(
                "the import into table " + setup.table().name() + " was cancelled and undone");
    }

    /**
     * What a run that was asked to stop ends with before it has begun, or known that it has; null when it was not
     * asked. What earlier runs have left is undone, too, when that is what was asked for.
     */
    static @Nullable SluiceException notBegun(ImportSetup setup) {
        ImportControl.Request asked = setup.control().stopped();
        UUID importId = setup.importId();
        if (asked == ImportControl.Request.NONE) {
            return null;
        }
        // It has served.
        boolean unused = Thread.interrupted();
        if (asked == ImportControl.Request.PAUSE) {
            return ImportPausedException.onRequest(
                    "the import into table " + setup.table().name()
                            + " is paused, as asked, before it began; run it again",
                    !setup.resumption().keepsWatermarks());
        }
        if (importId != null) {
            undo("the import into table " + setup.table().name() + " is cancelled", () -> {
                boolean undone = ImportJob.abandon(
                        setup.node(), setup.table(), setup.settings().mode(), importId);
                if (!undone) {
                    throw new OperationFailedException("it is finished; run it again to have its table published");
                }
            });
        }
        return cancelled(setup);
    }

    private static void undo(String what, Runnable undoing) {
        try {
            undoing.run();
        } catch (OperationFailedException e) {
            throw new OperationFailedException(
                    what + " and could not be undone: " + e.getMessage() + "\nCancel it again when that is mended", e);
        }
    }

    private SluiceException paused(Exception failure) {
        clear(setup.settings().workDirectory(), failure);
        String what = "the import into table " + setup.table().name() + " is paused, as asked";
        if (!setup.resumption().keepsWatermarks()) {
            undo(what, session::close);
            return ImportPausedException.onRequest(
                    what + "; one of its kind keeps nothing meanwhile: run it again, and it begins over", true);
        }
        leave(failure);
        return ImportPausedException.onRequest(
                what + "\nNodes keep what they have. To go on, run the same command with --job-id " + setup.importId(),
                false);
    }

    private @Nullable SluiceException failed(Exception failure, Moment moment) {
        if (moment == Moment.PUBLISHING) {
            leave(failure);
            return paused(setup, failure, "that is mended", " was about to be published, and is paused, because ");
        }
        if (failure instanceof NodeUnreachableException lost && setup.importId() != null) {
            leave(lost);
            return paused(setup, lost, "node " + lost.node() + " is back");
        }
        if (failure instanceof NodeBusyException busy && setup.importId() != null) {
            leave(busy);
            return paused(setup, busy, "there is room");
        }
        if (failure instanceof OperationFailedException work && moment == Moment.READING) {
            leave(work);
            return paused(setup, work, "that is mended");
        }
        return undone(failure);
    }

    static ImportPausedException paused(ImportSetup setup, OperationFailedException cause, String when) {
        return paused(setup, cause, when, " is paused, because ");
    }

    private static ImportPausedException paused(ImportSetup setup, Exception cause, String when, String what) {
        return new ImportPausedException(
                "the import into table " + setup.table().name() + what + DiskAdvice.reason(cause)
                        + "\nNodes keep what they have. When " + when + ", run the same command with --job-id "
                        + setup.importId(),
                cause);
    }

    /** A node that cannot be told keeps the import all the same. */
    private void leave(Exception failure) {
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

    /** Undoes an import that is not published; what fails about that is a part of the failure. */
    static void close(ImportSession session, Exception failure) {
        try {
            session.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Removes what is in the import's own directory; what cannot be removed is its caller's to remove. */
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
