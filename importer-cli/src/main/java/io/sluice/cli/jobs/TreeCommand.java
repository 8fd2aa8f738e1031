package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.lsm.HtmlPage;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.Printable;
import io.sluice.cli.progress.Units;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs lsm}: shows the LSM tree of a job's table. */
@Command(name = "lsm", description = "Show the history of the LSM tree of a job's table, or draw it.")
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class TreeCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    String id;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write an HTML page with a timeline of all events; it needs no network.")
    @Nullable
    Path html;

    @Option(names = "--json", description = "Print the history as a JSON object, as the service returns it.")
    boolean json;

    TreeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        ServiceClient client = service.client();
        // Report an unknown id with the same message as the other commands.
        client.job(id);
        JsonNode history = client.get(ServiceClient.path(id) + "/lsm");
        if (html != null) {
            HtmlPage.write(html, history.path("title").asText(), history.toString(), console.err());
            return 0;
        }
        try (Output out = console.output()) {
            if (json) {
                out.line(history.toString());
            } else {
                history.path("families").forEach(family -> out.line(summary(family)));
                history.path("notes").forEach(note -> out.line("note: " + Printable.line(note.asText())));
            }
        }
        return 0;
    }

    /** Formats one column family as a line; {@code f} of an event has the figures after it, see {@code PageData}. */
    private static String summary(JsonNode family) {
        JsonNode events = family.path("events");
        long tallest = 0;
        for (JsonNode event : events) {
            tallest = Math.max(tallest, event.path("f").path(0).asLong());
        }
        JsonNode now = events.path(events.size() - 1).path("f");
        return String.format(
                Locale.ROOT,
                "%scolumn family %s: %s; height %d now, %d at most; %s (%,d in level 0), %s; %s"
                        + " ingested, %s written",
                family.hasNonNull("table")
                        ? "table " + Printable.line(family.path("table").asText()) + ", "
                        : "",
                Printable.line(family.path("family").asText()),
                Units.number(events.size(), "event"),
                now.path(0).asLong(),
                tallest,
                Units.number(now.path(1).asLong(), "file"),
                now.path(2).asLong(),
                Units.bytes(now.path(3).asDouble()),
                Units.bytes(now.path(4).asDouble()),
                Units.bytes(now.path(5).asDouble()));
    }
}
