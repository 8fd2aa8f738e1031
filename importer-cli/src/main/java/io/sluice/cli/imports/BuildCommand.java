package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.output.Console;
import io.sluice.cli.progress.Units;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.RejectOptions;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.options.SourceOptions;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.error.BadInputException;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice build}: sorts files into a staged set, which {@code sluice ingest} brings into a store. */
@Command(
        name = "build",
        description = "Sort files into a staged set: SSTs and a manifest, for 'sluice ingest' here or elsewhere.",
        footer = {"", "See docs/how-to/staged.md. The same command resumes after an interruption: it starts over."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class BuildCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "File with the DDL of the table.")
    Path schema;

    @Option(
            names = "--output",
            paramLabel = "DIR|s3://BUCKET/PREFIX",
            required = true,
            description = "Place of the set: new, empty, or left by an interrupted build.")
    String output;

    @Option(names = "--table", paramLabel = "T", description = "Table to build. Default: the only table of the schema.")
    @Nullable
    String table;

    @Mixin
    PlainOptions plain;

    @Mixin
    FormatOptions format;

    @Mixin
    SourceOptions source;

    @Mixin
    RunOptions run;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR|GLOB|URL|-",
            description = "Inputs; - is standard input, a URL begins with http(s):// or s3://.")
    List<String> inputs;

    public BuildCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        List<String> problems = new ArrayList<>();
        run.validate(problems);
        plain.validate(problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        SetPlace place = SetPlace.of(output, source.settings().s3());
        ImportRun shown = new ImportRun(console, run);
        List<InputFile> files = InputFiles.resolve(inputs, source.settings(), shown::tell);
        InputFormat inputFormat = format.of(files);
        String ddl = SchemaFile.text(schema);
        Ddl.Schema declared = Ddl.read(ddl, schema.toString());
        List<TableDef> tables = declared.tables();
        TableDef declaredTable = Ddl.select(tables, table, schema.toString());
        PlainKvs kvs = plain.of(declaredTable);
        TableDef def = kvs == null ? declaredTable : kvs.table().def();
        InputFile first = files.get(0);
        inputFormat.validate(DirectoryValues.of(first).fill(def, first.name()));
        SchemaFile.printRemarks(schema, declared, def, shown::tell);
        Precheck precheck = new Precheck(inputFormat, def, run.rejects.limit());
        precheck.run(files);
        shown.tell(precheck.found(files));
        precheck.remarks().forEach(shown::tell);
        try (StagedBuild build = StagedBuild.open(
                place,
                plain.target(ddl, tables, declaredTable, kvs),
                inputFormat.toString(),
                run.rejects.policy(),
                run.rejects.limit(),
                files)) {
            if (build.isComplete()) {
                StagedSet set = build.set();
                shown.print(() -> json(set, "already_built", null), () -> text(set, "already built", null));
                return set.manifest().rejected() == 0 ? ExitCode.OK : ExitCode.REJECTS;
            }
            ImportProgress progress = new ImportProgress();
            build.countRejected(() -> progress.rejects() + progress.captured());
            ImportReport report;
            try (WorkDirectory work = WorkDirectory.in(run.tmp == null ? build.workDirectory() : run.tmp)) {
                ImportJob job =
                        new ImportJob(build, def, files, settings(inputFormat, work.path(), def, ddl), progress);
                report = shown.watched(progress, "build", job.observedBy(shown)::run);
            }
            StagedSet set = build.set();
            shown.print(() -> json(set, "built", report), () -> text(set, "built", report));
            return report.withoutRejects() ? ExitCode.OK : ExitCode.REJECTS;
        }
    }

    private ImportSettings settings(InputFormat inputFormat, Path work, TableDef def, String ddl) {
        BundleSettings rejects = run.bundle(ddl, RejectOptions.unusedBundle(def.name()), null);
        return run.settings(inputFormat, work, ImportSettings.Mode.MERGE, false, rejects);
    }

    private static String json(StagedSet set, String state, @Nullable ImportReport report) {
        return StagedText.json(set, state, json -> {
            if (report != null) {
                json.writeNumberField("rowsRead", report.rows().read());
                json.writeNumberField("rowsRejected", report.rows().rejected());
                json.writeNumberField("rowsDropped", report.rows().dropped());
            }
        });
    }

    private static List<String> text(StagedSet set, String state, @Nullable ImportReport report) {
        List<String> lines = new ArrayList<>(StagedText.lines(set, state));
        if (report != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  input     %s of %s, %,d rejected, %,d dropped; in %s",
                    Units.number(report.rows().read(), "row"),
                    Units.bytes((double) report.bytes().read()),
                    report.rows().rejected(),
                    report.rows().dropped(),
                    Units.seconds(report.times().seconds().getOrDefault("total", 0.0))));
            report.outcome().warnings().forEach(warning -> lines.add("  warning   " + warning));
        } else if (set.manifest().rejected() > 0) {
            lines.add("  input     " + Units.number(set.manifest().rejected(), "record")
                    + " rejected or captured when the set was built");
        }
        return lines;
    }
}
