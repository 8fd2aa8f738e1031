package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.error.BadInputException;
import io.sluice.cli.jobs.client.Pages;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice jobs rejects} and {@code conflicts}: the records of a job that are not in the table, and why. */
@Command(footer = {"", "docs/rejects.md has the members of the JSON objects."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class RecordsCommand implements Callable<Integer> {
    /** A table of more is not read by anybody; it is also what keeps the table in memory. */
    private static final int MOST_IN_TABLE = 10_000;

    private final String which;
    private final Function<List<JsonNode>, List<String>> table;
    private final Console console;

    @Mixin
    ServiceOptions service;

    @Parameters(paramLabel = "JOB", description = "Its id.")
    String id;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Print N records at most. Default: 100, and all with --json.")
    long limit;

    @Option(names = "--json", description = "One JSON object per record and line.")
    boolean json;

    private RecordsCommand(String which, Function<List<JsonNode>, List<String>> table, Console console) {
        this.which = which;
        this.table = table;
        this.console = console;
    }

    static CommandLine ofRejects(Console console) {
        return named(
                new RecordsCommand("rejects", RecordTables::ofRejects, console),
                "List the records of a job that are no rows of its table.");
    }

    static CommandLine ofConflicts(Console console) {
        return named(
                new RecordsCommand("conflicts", RecordTables::ofConflicts, console),
                "List the rows of a job that gave way to others with the same key (--on-conflict capture).");
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
        // An id that is none is told in the same words by all commands.
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
}
