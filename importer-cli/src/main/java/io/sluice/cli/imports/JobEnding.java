package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Printable;
import io.sluice.importer.job.ImportReport;
import io.sluice.model.error.FailureCode;
import java.util.List;

/** Prints the end of a watched job of a service, and maps it to the exit code of an import in this process. */
public final class JobEnding {
    private JobEnding() {}

    /** Formats the report as text; no lines if the job did not succeed. */
    public static List<String> report(JobView job) {
        ImportReport report = job.report();
        return report == null
                ? List.of()
                : ReportPrinter.text(report, job.modeWhy()).stream()
                        .map(Printable::line)
                        .toList();
    }

    /** Prints to standard error why a job did not succeed, if so; returns the exit code. */
    public static int of(JobView job, ServiceClient client, Console console) {
        String message = job.message();
        String because = message == null ? "" : ": " + message;
        return switch (job.state()) {
            case SUCCEEDED -> ExitCode.OK;
            case SUCCEEDED_WITH_REJECTS -> {
                console.err().println("the rejects: sluice jobs rejects " + job.id() + client.option());
                yield ExitCode.REJECTS;
            }
            case PAUSED -> {
                console.err().println("sluice: job " + job.id() + " is paused" + because);
                console.err().println("resume it: sluice jobs resume " + job.id() + client.option());
                yield ExitCode.PAUSED;
            }
            case CANCELLED -> {
                console.err().println("sluice: job " + job.id() + " was cancelled and undone");
                yield ExitCode.FAILED;
            }
            default -> {
                console.err()
                        .println("sluice: job " + job.id() + " " + job.state().label() + because);
                yield FailureCode.isBadInput(job.text("failure", "")) ? ExitCode.BAD_INPUT : ExitCode.FAILED;
            }
        };
    }

    /** The message after detaching from a job: how to watch it again. */
    public static String detached(ServiceClient client, String id) {
        return "job " + id + " goes on; watch it with: sluice jobs watch " + id + client.option();
    }
}
