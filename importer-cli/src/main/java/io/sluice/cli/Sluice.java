package io.sluice.cli;

import io.sluice.cli.apply.ApplyCommand;
import io.sluice.cli.encode.EncodeCommand;
import io.sluice.cli.imports.ImportCommand;
import io.sluice.cli.imports.ReplayCommand;
import io.sluice.cli.jobs.JobsCommand;
import io.sluice.cli.lsm.LsmCommand;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.NodeCommand;
import io.sluice.cli.node.RecoverCommand;
import io.sluice.cli.output.Console;
import io.sluice.cli.plan.PlanCommand;
import io.sluice.cli.schema.InferCommand;
import io.sluice.cli.service.ServeCommand;
import io.sluice.cli.sql.SqlCommand;
import io.sluice.cli.store.DigestCommand;
import io.sluice.cli.store.DropCommand;
import io.sluice.cli.store.GetCommand;
import io.sluice.cli.store.ScanCommand;
import io.sluice.cli.store.TablesCommand;
import io.sluice.cli.store.TuneCommand;
import io.sluice.cli.transactions.TransactionsCommand;
import io.sluice.cli.workload.ChangesCommand;
import io.sluice.cli.workload.TpccCommand;
import io.sluice.node.ingest.FaultPoints;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The main class: wires the commands, runs one, and exits with its exit code. */
@Command(
        name = "sluice",
        versionProvider = Sluice.Version.class,
        usageHelpAutoWidth = true,
        description = "Imports CSV and Avro into RocksDB storage nodes as the key/value pairs a SQL layer would store.",
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 bad input or usage, 3 imported but with rejected rows,"
                    + " 4 import paused, to be resumed with --job-id."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the spec
public final class Sluice implements Runnable {
    static final String DEBUG = "--debug";

    @Spec
    CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    boolean help;

    @Option(names = DEBUG, scope = ScopeType.INHERIT, description = "Show the stack trace of a failure.")
    boolean debug;

    @Option(names = "--version", versionHelp = true, description = "Print the version.")
    boolean version;

    public static void main(String[] args) {
        String problem = Arguments.check(args);
        if (problem != null) {
            Console.ofProcess().err().println("sluice: " + problem);
            System.exit(ExitCode.BAD_INPUT);
        }
        System.exit(run(args));
    }

    /** Runs one command on the process's streams and returns its exit code. */
    public static int run(String... args) {
        return run(Console.ofProcess(), FaultPoints.none(), args);
    }

    /**
     * Runs one command and returns its exit code.
     *
     * @param console the streams of the command
     * @param faults receives the durable steps of imports and of nodes in this process; tests end the process there
     */
    public static int run(Console console, FaultPoints faults, String... args) {
        return execute(commands(new LocalNodes(console, faults), console), args);
    }

    /** Creates all commands with the given nodes and streams. */
    public static CommandLine commands(LocalNodes nodes, Console console) {
        ErrorBoundary boundary = new ErrorBoundary();
        return new CommandLine(new Sluice())
                .addSubcommand(new ImportCommand(nodes, console))
                .addSubcommand(new ReplayCommand(nodes, console))
                .addSubcommand(new PlanCommand(console))
                .addSubcommand(new EncodeCommand(console))
                .addSubcommand(new TablesCommand(nodes, console))
                .addSubcommand(new GetCommand(nodes, console))
                .addSubcommand(new ScanCommand(nodes, console))
                .addSubcommand(new DigestCommand(nodes, console))
                .addSubcommand(new DropCommand(nodes, console))
                .addSubcommand(new RecoverCommand(console))
                .addSubcommand(new TuneCommand(nodes, console))
                .addSubcommand(new SqlCommand(nodes, console))
                .addSubcommand(TransactionsCommand.of(nodes, console))
                .addSubcommand(new ApplyCommand(nodes, console))
                .addSubcommand(new LsmCommand(console))
                .addSubcommand(JobsCommand.of(console, Clock.systemUTC()))
                .addSubcommand(new NodeCommand(nodes, console))
                .addSubcommand(new ServeCommand(nodes, console))
                .addSubcommand(GroupCommand.of("schema", "Propose tables for files.", "name what to do: infer")
                        .addSubcommand(new InferCommand(console)))
                .addSubcommand(GroupCommand.of("workload", "Make test data.", "name a generator: tpcc or changes")
                        .addSubcommand(new TpccCommand(console))
                        .addSubcommand(new ChangesCommand(console)))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setExecutionExceptionHandler(boundary)
                .setParameterExceptionHandler(boundary);
    }

    /** Runs one command; every failure becomes a message and an exit code. */
    public static int execute(CommandLine commands, String... args) {
        try {
            return commands.execute(args);
        } catch (Throwable e) {
            // picocli passes exceptions to the boundary, but not errors such as out of memory.
            return ErrorBoundary.report(e, commands, Arrays.asList(args).contains(DEBUG));
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command; 'sluice --help' lists them");
    }

    /** The version, from the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Sluice.class.getPackage().getImplementationVersion();
            return new String[] {
                "sluice " + (version == null ? "(unpackaged)" : version),
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}
