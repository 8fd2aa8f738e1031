package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeClient;
import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.plan.PlanText;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.DryRun;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice import}: imports files into one table, or into several of one schema. */
@Command(
        name = "import",
        description = "Import files into tables of a store, or into new tables on storage nodes.",
        footer = {"", "The report is described in docs/reference/report.md, the CSV options in docs/reference/csv.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ImportCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Spec
    CommandSpec spec;

    @Mixin
    ImportOptions options;

    public ImportCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        if (options.server.given()) {
            return onServer(spec.commandLine().getParseResult()::hasMatchedOption);
        }
        options.validate();
        ImportRun run = new ImportRun(console, options.run);
        List<InputFile> inputs = InputFiles.resolve(options.inputs, options.source.settings(), run::tell);
        InputFormat format = options.schema == null ? options.format.sniffed(inputs) : options.format.of(inputs);
        DeclaredTables schema = options.schema == null
                ? DeclaredTables.inferred(options.inputs, inputs, format, options.table, run::tell)
                : DeclaredTables.of(options.schema);
        List<TableInputs> groups = groups(schema, inputs);
        List<TableImport> imports = new ArrayList<>();
        for (TableInputs group : groups) {
            imports.add(new TableImport(options, console, schema, group, format, groups.size() > 1));
        }
        check(imports, run);
        return options.dryRun ? dryRun(imports, run) : importAll(imports, run);
    }

    private int onServer(Predicate<String> given) {
        ObjectNode request = ServerSpec.of(options, given);
        ImportRun run = new ImportRun(console, options.run);
        // The file may be a pipe, which can be read once.
        String name = String.valueOf(options.schema);
        String text = request.path("schema").asText();
        DeclaredTables schema = new DeclaredTables(name, text, Ddl.read(text, name));
        if (options.table == null && schema.tables().size() > 1) {
            throw new BadInputException(name + " declares " + schema.tables().size()
                    + " tables, and a service imports one: name it with --table, or import several with --store or"
                    + " --nodes in place of --server");
        }
        ServiceClient client = options.server.client(options.target.remote.access());
        if (options.dryRun) {
            JsonNode plan = client.plan(request);
            run.print(plan::toString, () -> PlanText.lines(plan));
            return ExitCode.OK;
        }
        schema.remarks(Ddl.select(schema.tables(), options.table, name), run::tell);
        return new ServerJob(console, options.server, client, options.run.json, options.run.quiet)
                .run(
                        request,
                        job -> ReportPrinter.json(Objects.requireNonNull(job.report()), job.modeWhy()),
                        JobEnding::report);
    }

    private List<TableInputs> groups(DeclaredTables schema, List<InputFile> inputs) {
        if (options.table == null && schema.tables().size() > 1) {
            return TableInputs.assign(schema.tables(), inputs, schema.name());
        }
        return List.of(new TableInputs(Ddl.select(schema.tables(), options.table, schema.name()), inputs));
    }

    /** Checks the beginnings of all files before any table is imported. */
    private void check(List<TableImport> imports, ImportRun run) {
        for (TableImport each : imports) {
            TableDef table = each.inputs().table();
            List<InputFile> files = each.inputs().files();
            DirectoryValues values = DirectoryValues.of(files.get(0));
            each.format().validate(values.fill(table, files.get(0).name()));
            each.schema().remarks(table, run::tell);
            Precheck precheck = new Precheck(each.format(), table, options.run.rejects.limit(), options.schema == null);
            if (!options.dryRun) {
                precheck.run(files);
            }
            run.tell((each.several() ? table.name() + ": " : "") + precheck.found(files));
            precheck.remarks().forEach(run::tell);
            List<String> columns = values.columns(table);
            if (!columns.isEmpty()) {
                run.tell("input: directories fill column " + String.join(", ", columns) + ", unless a file has it");
            }
        }
        if (imports.size() > 1 && !options.append && options.jobId == null) {
            ensureAbsent(imports);
        }
    }

    /** One table that exists must not stop the run in its middle. */
    private void ensureAbsent(List<TableImport> imports) {
        Path store = options.store;
        if (options.dryRun || (store != null && !Files.exists(store))) {
            return;
        }
        try (NodeClient node = store == null
                ? options.target.openForNew(line -> {})
                : nodes.openForImport(store).client()) {
            List<String> there = new ArrayList<>();
            for (TableImport each : imports) {
                String table = each.inputs().table().name();
                if (node.table(table) != null) {
                    there.add(table);
                }
            }
            if (!there.isEmpty()) {
                throw new BadInputException("there is already a table " + String.join(", ", there)
                        + "; drop it, leave its files out, or add the rows with --append; nothing was imported");
            }
        }
    }

    private int importAll(List<TableImport> imports, ImportRun run) {
        List<TableImport.Done> done = new ArrayList<>();
        boolean several = imports.size() > 1;
        try {
            for (TableImport each : imports) {
                TableImport.Done one = each.run(nodes);
                done.add(one);
                if (!several || !options.run.json) {
                    run.printPublished(
                            () -> ReportPrinter.json(one.report(), one.modeWhy()),
                            () -> ReportPrinter.text(one.report(), one.modeWhy()));
                }
            }
        } catch (RuntimeException e) {
            if (!done.isEmpty() && done.size() < imports.size()) {
                console.log("imported before the failure: " + names(imports.subList(0, done.size()))
                        + "; not imported: " + names(imports.subList(done.size(), imports.size()))
                        + (options.jobId == null
                                ? "; run the command again with their files alone"
                                : "; the same command resumes the run"));
            }
            if (options.schema == null
                    && e instanceof BadInputException refused
                    && refused.code() == FailureCode.TOO_MANY_REJECTS) {
                run.tell(
                        "The schema is what the first records suggest. 'sluice schema infer' reads all records of a file;"
                                + " name what it prints with --schema");
            }
            throw e;
        }
        List<ImportReport> reports = done.stream().map(TableImport.Done::report).toList();
        if (several) {
            run.printPublished(() -> ReportPrinter.json(reports), () -> List.of(ReportPrinter.total(reports)));
        }
        return reports.stream().allMatch(ImportReport::withoutRejects) ? ExitCode.OK : ExitCode.REJECTS;
    }

    private int dryRun(List<TableImport> imports, ImportRun run) {
        int exitCode = ExitCode.OK;
        for (TableImport each : imports) {
            DryRun.Result result = each.dryRun();
            run.print(() -> ReportPrinter.json(result), () -> ReportPrinter.text(result));
            int one = ReportPrinter.exitCode(result);
            exitCode = exitCode == ExitCode.BAD_INPUT || one == ExitCode.OK ? exitCode : one;
        }
        return exitCode;
    }

    private static String names(List<TableImport> imports) {
        return imports.stream().map(each -> each.inputs().table().name()).collect(Collectors.joining(", "));
    }
}
