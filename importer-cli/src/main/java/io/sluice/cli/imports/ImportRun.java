package io.sluice.cli.imports;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.cli.progress.ProgressSnapshot;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Interrupts;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Runs one import in the foreground: draws its progress, undoes it on Ctrl-C, and prints its report. */
record ImportRun(Console console, RunOptions options) implements ImportEvents {
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /**
     * Runs work while its progress is drawn.
     *
     * @param what name of the work in messages
     */
    <T> T watched(ImportProgress progress, String what, Work<T> work) {
        ProgressLine.Style style = ProgressLine.Style.of(options.quiet, options.json, console.errIsTerminal());
        return watched(console, style, progress, what, work);
    }

    /**
     * Runs work while its progress is drawn; Ctrl-C undoes it.
     *
     * @param what name of the work in messages
     */
    @SuppressWarnings("try") // both resources act by being open
    static <T> T watched(
            Console console, ProgressLine.Style style, ImportProgress progress, String what, Work<T> work) {
        try (Interrupt interrupt = Interrupt.ofCurrentThread();
                ProgressLine line = ProgressLine.start(new Snapshots(progress), console.drawing(), style)) {
            return interrupt.named(what, work);
        } catch (InterruptedException e) {
            throw interrupted(what, e);
        }
    }

    private static OperationFailedException interrupted(String what, Exception e) {
        return new OperationFailedException("the " + what + " was interrupted and undone", e);
    }

    /** Prints a message before the progress line, unless --quiet or --json is given. */
    @Override
    public void tell(String sentence) {
        if (!options.quiet && !options.json) {
            console.err().println(sentence);
        }
    }

    /** Prints the report of a published import; a failure to print does not undo the import. */
    void printPublished(Supplier<String> json, Supplier<List<String>> text) {
        try {
            print(json, text);
        } catch (OperationFailedException e) {
            throw afterPublication(e);
        }
    }

    /** Returns the error for a failure after the import was published. */
    static OperationFailedException afterPublication(RuntimeException e) {
        return new OperationFailedException("the rows are imported, but a later step failed: " + e.getMessage(), e);
    }

    /** Prints a report as JSON or text, according to the options. */
    void print(Supplier<String> json, Supplier<List<String>> text) {
        try (Output out = console.output()) {
            if (options.json) {
                out.line(json.get());
            } else if (!options.quiet) {
                text.get().forEach(out::line);
            }
        }
    }

    /**
     * Turns a termination signal (Ctrl-C) into an interrupt of the importing thread, and gives it 10 s to undo the
     * import. If that is not enough, the next process that opens the store cleans up.
     */
    private static final class Interrupt implements AutoCloseable {
        private static final long UNDO_MILLIS = TimeUnit.SECONDS.toMillis(10);

        private final Thread importing;
        private final Thread hook = new Thread(this::interrupt, "interrupt");
        private volatile boolean requested;

        private Interrupt(Thread importing) {
            this.importing = importing;
        }

        static Interrupt ofCurrentThread() {
            Interrupt interrupt = new Interrupt(Thread.currentThread());
            Runtime.getRuntime().addShutdownHook(interrupt.hook);
            return interrupt;
        }

        /** Runs work; a step that fails because its file was closed by the interrupt fails as interrupted. */
        <T> T named(String what, Work<T> work) throws InterruptedException {
            try {
                return work.run();
            } catch (OperationFailedException | BadInputException e) {
                throw requested && Interrupts.caused(e) ? interrupted(what, e) : e;
            }
        }

        private void interrupt() {
            requested = true;
            importing.interrupt();
            try {
                importing.join(UNDO_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The process is terminating, and the hook waits for this thread.
                return;
            }
        }
    }

    /** Converts an import's progress for the progress line: bytes of input, or bytes of KVs during the merge. */
    private static final class Snapshots implements Supplier<ProgressSnapshot> {
        private final ImportProgress progress;
        private final long startNanos = System.nanoTime();

        Snapshots(ImportProgress progress) {
            this.progress = progress;
        }

        @Override
        public ProgressSnapshot get() {
            Phase phase = progress.phase();
            boolean merging = phase == Phase.MERGE;
            return new ProgressSnapshot(
                    phase.name().toLowerCase(Locale.ROOT),
                    merging ? progress.mergedBytes() : progress.bytesRead(),
                    merging ? progress.mergeTotalBytes() : progress.bytesTotal(),
                    progress.rows(),
                    System.nanoTime() - startNanos,
                    progress.limiter(),
                    null);
        }
    }
}
