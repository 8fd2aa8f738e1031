package io.sluice.spark;

import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.RejectOptions;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.options.SourceOptions;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The program for {@code spark-submit}: builds a staged set from files by the readers of an import, on the executors,
 * and hands it over to nodes if some are named. Its options and exit codes are those of {@code sluice build}.
 */
@Command(
        name = "sluice-submit",
        description =
                "Sort files into a staged set on the executors of Spark; bring it onto storage nodes with --nodes.",
        footer = {"", "See docs/how-to/spark.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class SluiceSubmit implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int BAD_INPUT = 2;
    private static final int REJECTS = 3;
    private static final int PAUSED = 4;
    private static final String PREFIX = "sluice-submit: ";

    @Spec
    CommandSpec spec;

    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "File with the DDL of the table.")
    Path schema;

    @Option(
            names = "--output",
            paramLabel = "DIR|s3://BUCKET/PREFIX",
            required = true,
            description = "Place of the set; a directory must be shared by the driver and all executors.")
    String output;

    @Option(names = "--table", paramLabel = "T", description = "Table to build. Default: the only table of the schema.")
    @Nullable
    String table;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Most key ranges, each of which one task sorts. Default: one for each 128 MiB.")
    @Nullable
    Integer partitions;

    @Option(
            names = "--nodes",
            paramLabel = "HOST:PORT,…",
            description = "Storage nodes that get the finished set. Default: none.")
    String nodes = "";

    @Option(names = "--replicas", paramLabel = "R", description = "Number of nodes that hold each key range.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token of the nodes. Default: the environment variable SLUICE_TOKEN.")
    @Nullable
    Path tokenFile;

    @Option(names = "--tls-trust", paramLabel = "FILE", description = "PEM file of certificates to trust.")
    @Nullable
    Path trusted;

    @Mixin
    FormatOptions format;

    @Mixin
    SourceOptions source;

    @Mixin
    RejectOptions rejects;

    @Option(names = "--help", usageHelp = true, description = "Print this help.")
    boolean help;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIR|GLOB|s3://…",
            description = "Inputs, which all executors see at the same paths, or in an object store.")
    List<String> inputs;

    /** Runs the program, ends Spark, and exits with the code of the result. */
    public static void main(String[] args) {
        int code = run(args);
        if (SparkSession.getDefaultSession().isDefined()) {
            SparkSession.getDefaultSession().get().stop();
        }
        if (code != 0) {
            System.exit(code);
        }
    }

    /** Runs the program, in the Spark session that there is or a new one. */
    static int run(String... args) {
        CommandLine command = new CommandLine(new SluiceSubmit());
        PrintWriter err = command.getErr();
        command.setParameterExceptionHandler((e, given) -> {
            err.println(PREFIX + e.getMessage());
            err.flush();
            return BAD_INPUT;
        });
        command.setExecutionExceptionHandler((e, of, parsed) -> {
            if (e instanceof SluiceException) {
                err.println(PREFIX + e.getMessage());
            } else {
                e.printStackTrace(err);
            }
            err.flush();
            return exitCode(e);
        });
        return command.execute(args);
    }

    /** The exit code of a failure, as {@code sluice} has it. */
    static int exitCode(Exception failure) {
        if (failure instanceof BadInputException) {
            return BAD_INPUT;
        }
        return failure instanceof ImportPausedException ? PAUSED : FAILED;
    }

    @Override
    public Integer call() {
        validate();
        SourceSettings settings = source.settings();
        String ddl = SchemaFile.text(schema);
        Ddl.Schema declared = Ddl.read(ddl, schema.toString());
        TableDef def = Ddl.select(declared.tables(), table, schema.toString());
        SchemaFile.printRemarks(schema, declared, def, this::tell);
        StagedWrite write = new StagedWrite(
                ddl,
                declared.tables(),
                def,
                SetPlace.of(output, settings.s3()),
                partitions == null ? 0 : partitions,
                rejects.policy());
        HandOver handOver =
                nodes.isBlank() ? null : HandOver.to(nodes, replicas, tokenFile, trusted, "submit the same job again");
        // Before the files are inspected: a cluster waits for its driver only so long.
        JavaSparkContext spark = JavaSparkContext.fromSparkContext(
                SparkSession.builder().appName("sluice-submit").getOrCreate().sparkContext());
        List<InputFile> files = InputFiles.resolve(inputs, settings, this::tell);
        refuseUnseen(files);
        InputFormat inputFormat = format.of(files);
        InputFile first = files.get(0);
        inputFormat.validate(DirectoryValues.of(first).fill(def, first.name()));
        Precheck precheck = new Precheck(inputFormat, def, rejects.limit());
        precheck.run(files);
        tell(precheck.found(files));
        precheck.remarks().forEach(this::tell);
        boolean complete = true;
        StagedWrite.Result result = new StagedWrite.Result(0, 0, 0, List.of());
        try (StagedBuild build = write.open(inputFormat.toString(), rejects.limit(), files)) {
            if (!build.isComplete()) {
                complete = false;
                if (handOver != null) {
                    handOver.check(def.name());
                }
                FileTask task = new FileTask(
                        new TableRef(ddl, def.name()),
                        inputFormat,
                        settings.encoding().compression(),
                        settings.encoding().charset().name(),
                        settings.s3(),
                        rejects.limit() instanceof RejectLimit.Count count ? count.most() : Long.MAX_VALUE);
                result = build(spark, write, build, files, task);
            }
        }
        StagedSet set = write.set();
        report(set, result, complete);
        if (handOver != null) {
            spec.commandLine().getOut().println(handOver.ingest(set));
            spec.commandLine().getOut().flush();
        }
        return set.manifest().rejected() > 0 ? REJECTS : 0;
    }

    private void validate() {
        List<String> problems = new ArrayList<>();
        rejects.validate(problems);
        if (partitions != null && (partitions < 1 || partitions > StagedWrite.MOST_PARTITIONS)) {
            problems.add("--partitions " + partitions + ": must be from 1 to " + StagedWrite.MOST_PARTITIONS);
        }
        if (nodes.isBlank()) {
            Stream.of("--replicas", "--token-file", "--tls-trust")
                    .filter(spec.commandLine().getParseResult()::hasMatchedOption)
                    .forEach(name -> problems.add(name + " needs --nodes"));
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    /** Executors open each input anew, by its name. */
    private static void refuseUnseen(List<InputFile> files) {
        for (InputFile file : files) {
            if (!file.repeatable() || (file.path() == null && !file.name().startsWith("s3://"))) {
                throw new BadInputException(file.name()
                        + ": executors cannot open it; name files that all of them see, or s3:// addresses");
            }
        }
    }

    private StagedWrite.Result build(
            JavaSparkContext spark, StagedWrite write, StagedBuild build, List<InputFile> files, FileTask task) {
        BundleSettings bundle = rejects.bundle(
                task.table().ddl(), RejectOptions.unusedBundle(task.table().name()), null, SluiceSubmit.class);
        ImportSettings settings = new ImportSettings(
                task.format(),
                new ImportSettings.Resources(build.workDirectory(), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                new ImportSettings.Rejects(rejects.limit(), bundle),
                ImportSettings.Mode.MERGE,
                rejects.policy(),
                false,
                ImportSettings.Verification.SUMS,
                SstFormat.Writer.JAVA);
        settings.validate();
        try (OpenBundle kept = OpenBundle.of(
                settings, task.table().table().def(), settings.mode().label())) {
            FileRows rows = new FileRows(
                    spark,
                    files,
                    task,
                    new FileRows.Rejects(
                            rejects.limit(), rejects.policy(), bundle == null ? null : kept.sink(), kept::prepare));
            StagedWrite.Result result = write.run(spark, rows, build);
            String problem = kept.published();
            if (problem != null) {
                tell(problem);
            }
            if (kept.rejects().bundle() != null) {
                tell("rejects: " + kept.rejects().bundle());
            }
            result.skew().forEach(this::tell);
            return result;
        }
    }

    private void report(StagedSet set, StagedWrite.Result result, boolean complete) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "staged set %s, table %s: %s%n",
                set.place(),
                set.manifest().target().table(),
                complete ? "already built" : "built");
        out.printf(
                Locale.ROOT,
                "  set       %s, %,d rows in %,d SSTs%n",
                set.manifest().id(),
                set.manifest().sums().get(0).sum().count(),
                set.manifest().ssts().size());
        if (!complete) {
            out.printf(
                    Locale.ROOT,
                    "  input     %,d rows read, %,d rejected, %,d dropped%n",
                    result.rows() + result.bad() + result.dropped(),
                    result.bad(),
                    result.dropped());
        }
        out.flush();
    }

    private void tell(String line) {
        spec.commandLine().getErr().println(PREFIX + line);
        spec.commandLine().getErr().flush();
    }
}
