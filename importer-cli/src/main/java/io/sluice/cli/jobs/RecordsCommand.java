package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.jobs.client.Pages;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.Printable;
import io.sluice.cli.output.TextTable;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs rejects} and {@code conflicts}: list the records that a job did not import, with reasons. */
@Command(footer = {"", "docs/how-to/rejects.md has the members of the JSON objects."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class RecordsCommand implements Callable<Integer> {
    /** Limit of a text table, which is held in memory. */
    private static final int MOST_IN_TABLE = 10_000;

    private final String which;
    private final Function<List<JsonNode>, List<String>> table;
    private final Console console;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Id of the job.")
    String id;

    @Option(names = "--limit", paramLabel = "N", description = "Limit of records. Default: 100, or all with --json.")
    long limit;

    @Option(names = "--json", description = "Print one JSON object per record and line.")
    boolean json;

    private RecordsCommand(String which, Function<List<JsonNode>, List<String>> table, Console console) {
        this.which = which;
        this.table = table;
        this.console = console;
    }

    static CommandLine ofRejects(Console console) {
        return named(
                new RecordsCommand("rejects", RecordsCommand::rejects, console),
                "List the records of a job that are not valid rows of its table.");
    }

    static CommandLine ofConflicts(Console console) {
        return named(
                new RecordsCommand("conflicts", RecordsCommand::conflicts, console),
                "List the rows that a job dropped because others have the same key (--on-conflict capture).");
    }

    private static CommandLine named(RecordsCommand command, String description) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().name(command.which).usageMessage().description(description);
        return line;
    }

    @Override
    public Integer call() {
        if (limit < 0 || (!json && limit > MOST_IN_TABLE)) {
            throw new BadInputException(
                    "--limit " + limit + ": must be from 1 to " + MOST_IN_TABLE + ", or anything from 1 with --json");
        }
        ServiceClient client = service.client();
        // Report an unknown id with the same message as the other commands.
        client.job(id);
        Pages pages = Pages.ofRecords(client, id, which);
        try (Output out = console.output()) {
            if (json) {
                pages.forEach(limit == 0 ? Long.MAX_VALUE : limit, each -> out.line(each.toString()));
                return 0;
            }
            List<JsonNode> records = new ArrayList<>();
            boolean all = pages.forEach(limit == 0 ? 100 : limit, records::add);
            if (records.isEmpty()) {
                out.line("no " + which);
                return 0;
            }
            table.apply(records).forEach(out::line);
            if (!all) {
                out.line("and more; --limit N shows more of them, --json all");
            }
        }
        return 0;
    }

    /** Formats rejects: position, column, code and reason. */
    private static List<String> rejects(List<JsonNode> records) {
        TextTable table = new TextTable("at", "column", "code", "what is wrong");
        for (JsonNode each : records) {
            table.row(place(each), text(each, "column"), text(each, "code"), text(each, "message"));
        }
        return table.textLines();
    }

    /** Formats conflicts: position, index, key and the row that stays. */
    private static List<String> conflicts(List<JsonNode> records) {
        TextTable table = new TextTable("at", "index", "key", "stays");
        for (JsonNode each : records) {
            JsonNode other = each.path("other");
            table.row(
                    place(each),
                    text(each, "index"),
                    text(each, "key"),
                    other.has("file") ? place(other) : "the row of the table");
        }
        return table.textLines();
    }

    /** Formats the position: file and line, or file and byte for formats without lines. */
    private static String place(JsonNode each) {
        String file = text(each, "file");
        return each.hasNonNull("line")
                ? file + ":" + each.path("line").asLong()
                : file + " byte " + each.path("byte").asLong();
    }

    private static String text(JsonNode each, String name) {
        return each.hasNonNull(name) ? Printable.line(each.path(name).asText()) : "-";
    }
}
