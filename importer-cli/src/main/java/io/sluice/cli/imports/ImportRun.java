package io.sluice.cli.imports;

import io.sluice.api.error.OperationFailedException;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.importer.job.ImportProgress;
import java.util.List;
import java.util.function.Supplier;

/** One import while somebody watches: its progress is drawn, Ctrl-C undoes it, and its report is printed. */
record ImportRun(Console console, RunOptions options) {
    /** What runs. */
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /** Runs work to its end. */
    @SuppressWarnings("try") // both resources act by being open
    <T> T watched(ImportProgress progress, Work<T> work) {
        ProgressLine.Style style = ProgressLine.Style.of(options.quiet, options.json, console.errIsTerminal());
        try (Interrupt interrupt = Interrupt.ofCurrentThread();
                ProgressLine line = ProgressLine.start(new Snapshots(progress), console.drawing(), style)) {
            return work.run();
        } catch (InterruptedException e) {
            throw new OperationFailedException("the import was interrupted and undone", e);
        }
    }

    /** Says something in front of the progress line, to people only. */
    void tell(String sentence) {
        if (!options.quiet && !options.json) {
            console.err().println(sentence);
        }
    }

    /** Prints the report of an import that is published, which stays so whatever becomes of the report. */
    void printPublished(Supplier<String> json, Supplier<List<String>> text) {
        try {
            print(json, text);
        } catch (OperationFailedException e) {
            throw behindPublication(e);
        }
    }

    /** The failure of what comes after an import is published. */
    static OperationFailedException behindPublication(RuntimeException e) {
        return new OperationFailedException(
                "the rows are imported, and what comes behind that failed: " + e.getMessage(), e);
    }

    /** Prints a report in the form that was asked for. */
    void print(Supplier<String> json, Supplier<List<String>> text) {
        try (Output out = console.output()) {
            if (options.json) {
                out.line(json.get());
            } else if (!options.quiet) {
                text.get().forEach(out::line);
            }
        }
    }
}
