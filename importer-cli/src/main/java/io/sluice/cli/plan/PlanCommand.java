package io.sluice.cli.plan;

import io.sluice.cli.imports.BudgetOptions;
import io.sluice.cli.memory.SizeConverter;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.sampler.ImportPlan;
import io.sluice.sampler.InputSample;
import io.sluice.sampler.ModeChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code sluice plan}: samples the input and prints what an import would do. */
@Command(
        name = "plan",
        description = "Print what an import would do, without importing and without a store.",
        footer = {"", "The plan is described in docs/how-to/plan.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class PlanCommand implements Callable<Integer> {
    private static final String ALL = "all";

    private final Console console;

    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "File with the DDL of the table.")
    Path schema;

    @Option(
            names = "--table",
            paramLabel = "T",
            description = "Table of the import. Default: the only table of the schema.")
    @Nullable
    String table;

    @Mixin
    FormatOptions format;

    @Mixin
    BudgetOptions budget = new BudgetOptions();

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description = "Directory for sorted runs, whose free space counts. Default: the current directory.")
    Path tmp = Path.of("");

    @Option(
            names = "--sample",
            paramLabel = "SIZE|all",
            defaultValue = "16m",
            description = "Bytes of input to sample, from the beginning of each file. Default: 16m.")
    String sample;

    @Option(names = "--nodes", paramLabel = "N", description = "Number of storage nodes. Default: 1.")
    int nodes = 1;

    @Option(names = "--json", description = "Print the plan as a JSON object.")
    boolean json;

    @Parameters(arity = "1..*", paramLabel = "FILE|DIR|GLOB", description = "The input.")
    List<String> inputs;

    public PlanCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (nodes < 1) {
            throw new BadInputException("--nodes " + nodes + ": must be at least 1");
        }
        if (budget.workers() < 1) {
            throw new BadInputException("--workers " + budget.workers() + ": must be at least 1");
        }
        long mostBytes = sampleBytes();
        List<InputFile> files = InputFiles.resolve(inputs, SourceSettings.DEFAULT, this::tell);
        InputFormat chosen = format.of(files);
        Ddl.Schema declared = SchemaFile.schema(schema);
        List<TableDef> tables = declared.tables();
        TableDef def = Ddl.select(tables, table, schema.toString());
        chosen.validate(def);
        SchemaFile.printRemarks(schema, declared, def, this::tell);
        if (!InputScan.possible(files)) {
            throw new BadInputException("a plan needs inputs that can be read again; name files, not a pipe");
        }
        Precheck precheck = new Precheck(chosen, def, RejectLimit.NONE);
        precheck.run(files);
        tell(precheck.found(files));
        precheck.remarks().forEach(this::tell);
        precheck.firstReject(files).forEach(this::tell);
        InputSample sample = InputSample.at(Table.inNewStore(tables, def), files, chosen, mostBytes);
        Forecast forecast = new Forecast(
                sample.indexes(),
                budget.memoryBytes(),
                budget.workers(),
                sample.seen().totalBytes());
        ModeChoice choice = ModeChoice.of(forecast, place());
        ImportPlan made = new ImportPlan(def.name(), sample, forecast, choice, nodes);
        try (Output out = console.output()) {
            if (json) {
                out.line(Json.line(made::writeTo));
            } else {
                PlanText.lines(made).forEach(out::line);
            }
        }
        return 0;
    }

    private void tell(String line) {
        if (!json) {
            console.err().println(line);
        }
    }

    /** Number of bytes to sample. */
    private long sampleBytes() {
        if (sample.toLowerCase(Locale.ROOT).equals(ALL)) {
            return Long.MAX_VALUE / 2;
        }
        try {
            return new SizeConverter().convert(sample);
        } catch (TypeConversionException e) {
            throw new BadInputException("--sample: " + e.getMessage() + ", or all", e);
        }
    }

    /** The place of the import: one node on the local disk, or several nodes of which only the number is known. */
    private ModeChoice.Place place() {
        try {
            long free = Files.getFileStore(tmp.toAbsolutePath()).getUsableSpace();
            return new ModeChoice.Place(nodes, free, nodes == 1 ? free : -1, nodes == 1);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "--tmp " + tmp + ": cannot determine its free space: " + e.getMessage(), e);
        }
    }
}
