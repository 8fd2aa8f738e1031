package io.sluice.cli;

import io.sluice.cli.apply.ApplyCommand;
import io.sluice.cli.cluster.AddCommand;
import io.sluice.cli.cluster.DrainCommand;
import io.sluice.cli.cluster.RebalanceCommand;
import io.sluice.cli.cluster.RemoveCommand;
import io.sluice.cli.cluster.RepairCommand;
import io.sluice.cli.cluster.ReplaceCommand;
import io.sluice.cli.cluster.StatusCommand;
import io.sluice.cli.cluster.VerifyReplicasCommand;
import io.sluice.cli.encode.EncodeCommand;
import io.sluice.cli.imports.BackupCommand;
import io.sluice.cli.imports.BuildCommand;
import io.sluice.cli.imports.ImportCommand;
import io.sluice.cli.imports.IngestCommand;
import io.sluice.cli.imports.ReplayCommand;
import io.sluice.cli.imports.VerifyCommand;
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
import io.sluice.cli.store.ExportCommand;
import io.sluice.cli.store.GetCommand;
import io.sluice.cli.store.ScanCommand;
import io.sluice.cli.store.TablesCommand;
import io.sluice.cli.store.TuneCommand;
import io.sluice.cli.transactions.TransactionsCommand;
import io.sluice.cli.workload.ChangesCommand;
import io.sluice.cli.workload.TpccCommand;
import io.sluice.client.Connections;
import io.sluice.node.ingest.FaultPoints;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The main class: wires the commands, runs one, and exits with its exit code. */
@Command(
        name = "sluice",
        versionProvider = Sluice.Version.class,
        usageHelpAutoWidth = true,
        description =
                "Imports CSV, JSON, Avro and Parquet into RocksDB storage nodes as the key/value pairs a SQL layer would store.",
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 bad input or usage, 3 imported but with rejected rows,"
                    + " 4 import paused, to be resumed with --job-id.",
            "Without --store, --nodes and --server, the environment variable SLUICE_STORE, SLUICE_NODES or SLUICE_SERVER"
                    + " holds. Options of all commands may be in sluice.yaml; 'sluice config' shows which hold."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the spec
public final class Sluice implements Runnable {
    static final String DEBUG = "--debug";
    private static final String COMPLETION = "completion";
    private static final String CONFIG = "config";
    private static final String MANUAL = "manual";

    /** The commands in the order of the help. */
    private static final List<String> NAMES = List.of("""
            import replay build backup ingest restore verify plan encode tables get scan export digest drop recover tune \
            sql transactions apply lsm jobs node cluster serve schema workload config completion manual""".split(" ", -1));

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
        // The consensus has a Netty of its own, under other package names; Armeria sees two versions and warns.
        System.setProperty("com.linecorp.armeria.warnNettyVersions", "false");
        // Events of memory for flight recordings would load the recorder into each process that connects to a node.
        System.setProperty("io.netty.jfr.enabled", "false");
        // picocli looks for Groovy's classes otherwise, and opens all jars for it.
        System.setProperty("picocli.disable.closures", "true");
        String problem = Arguments.check(args);
        if (problem != null) {
            Console.ofProcess().log(problem);
            System.exit(ExitCode.BAD_INPUT);
        }
        exit(run(args));
    }

    /**
     * Ends the process. If a signal ends it already, its hooks may wait for this thread, and exit would never return.
     */
    private static void exit(int code) {
        Connections.endThreads();
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(new Thread());
        } catch (IllegalStateException e) {
            return;
        }
        System.exit(code);
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
        return execute(commands(needed(args), new LocalNodes(console, faults), console), args);
    }

    /** Creates all commands with the given nodes and streams. */
    public static CommandLine commands(LocalNodes nodes, Console console) {
        return commands(NAMES, nodes, console);
    }

    /** The first argument if it names a command, else all commands: picocli reflects on each, which takes time. */
    private static List<String> needed(String... args) {
        return args.length > 0 && NAMES.contains(args[0]) ? List.of(args[0]) : NAMES;
    }

    private static CommandLine commands(List<String> names, LocalNodes nodes, Console console) {
        ErrorBoundary boundary = new ErrorBoundary();
        CommandLine root = new CommandLine(new Sluice());
        names.forEach(name -> root.addSubcommand(name, command(name, nodes, console)));
        IHelpSectionRenderer sections = new OptionSections();
        // A lambda that captures this interface, of Java 5, keeps it out of the class archive.
        for (CommandLine command : root.getSubcommands().values()) {
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, sections);
            Examples.addTo(command);
        }
        return root.registerConverter(Path.class, new PathConverter())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setExecutionExceptionHandler(boundary)
                .setParameterExceptionHandler(boundary);
    }

    private static Object command(String name, LocalNodes nodes, Console console) {
        return switch (name) {
            case "import" -> new ImportCommand(nodes, console);
            case "replay" -> new ReplayCommand(nodes, console);
            case "build" -> new BuildCommand(console);
            case "backup" -> new BackupCommand(nodes, console);
            case "ingest" -> new IngestCommand(nodes, console);
            // The same for backups, by the name that one looks for.
            case IngestCommand.RESTORE ->
                new CommandLine(new IngestCommand(nodes, console)).setCommandName(IngestCommand.RESTORE);
            case "verify" -> new VerifyCommand(console);
            case "plan" -> new PlanCommand(console);
            case "encode" -> new EncodeCommand(console);
            case "tables" -> new TablesCommand(nodes, console);
            case "get" -> new GetCommand(nodes, console);
            case "scan" -> new ScanCommand(nodes, console);
            case "export" -> new ExportCommand(nodes, console);
            case "digest" -> new DigestCommand(nodes, console);
            case "drop" -> new DropCommand(nodes, console);
            case "recover" -> new RecoverCommand(console);
            case "tune" -> new TuneCommand(nodes, console);
            case "sql" -> new SqlCommand(nodes, console);
            case "transactions" -> TransactionsCommand.of(nodes, console);
            case "apply" -> new ApplyCommand(nodes, console);
            case "lsm" -> new LsmCommand(console);
            case "jobs" -> JobsCommand.of(console, Clock.systemUTC());
            case "node" -> new NodeCommand(nodes, console);
            case "cluster" ->
                GroupCommand.of(
                                "cluster",
                                "Show, add, drain, remove and replace the nodes of a cluster, copy lost replicas, move and compare replicas.",
                                "name what to do: status, add, drain, remove, replace, repair, rebalance or verify")
                        .addSubcommand(new StatusCommand(console))
                        .addSubcommand(new AddCommand(console))
                        .addSubcommand(new DrainCommand(console))
                        .addSubcommand(new RemoveCommand(console))
                        .addSubcommand(new ReplaceCommand(console))
                        .addSubcommand(new RepairCommand(console))
                        .addSubcommand(new RebalanceCommand(console))
                        .addSubcommand(new VerifyReplicasCommand(console));
            case "serve" -> new ServeCommand(nodes, console);
            case "schema" ->
                GroupCommand.of("schema", "Propose tables for files.", "name what to do: infer")
                        .addSubcommand(new InferCommand(console));
            case "workload" ->
                GroupCommand.of("workload", "Make test data.", "name a generator: tpcc or changes")
                        .addSubcommand(new TpccCommand(console))
                        .addSubcommand(new ChangesCommand(console));
            case CONFIG -> new ConfigCommand(() -> commands(nodes, console), System::getenv, console);
            case COMPLETION -> new CompletionCommand(() -> commands(nodes, console), console);
            case MANUAL -> new ManualCommand(() -> commands(nodes, console), console);
            default -> throw new IllegalArgumentException("no command is called " + name);
        };
    }

    /** Runs one command; every failure becomes a message and an exit code. */
    public static int execute(CommandLine commands, String... args) {
        try {
            return commands.execute(withDefaults(commands, System::getenv, args));
        } catch (Throwable e) {
            // picocli passes exceptions to the boundary, but not errors such as out of memory.
            return ErrorBoundary.report(e, commands, Arrays.asList(args).contains(DEBUG));
        }
    }

    /** Returns the arguments with the options of the environment and of sluice.yaml that they do not have. */
    static String[] withDefaults(CommandLine commands, UnaryOperator<@Nullable String> variables, String... args) {
        // They are of use without a valid file, or to find out what is wrong with it.
        if (args.length == 0
                || !NAMES.contains(args[0])
                || List.of(CONFIG, COMPLETION, MANUAL).contains(args[0])) {
            return args;
        }
        String[] placed = PlaceVariables.apply(commands, variables, args);
        ConfigFile file = ConfigFile.find(variables);
        return file == null ? placed : file.apply(commands, placed);
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

    /**
     * Refuses an empty path, as a shell makes of a variable that is not set; Java takes it for the working directory.
     */
    static final class PathConverter implements ITypeConverter<Path> {
        @Override
        public Path convert(String text) {
            if (text.isEmpty()) {
                throw new TypeConversionException("the path is empty");
            }
            return Path.of(text);
        }
    }

    /** A command that only groups others. */
    @Command
    @SuppressWarnings("NullAway.Init") // picocli sets the spec
    static final class GroupCommand implements Runnable {
        private final String problem;

        @Spec
        CommandSpec spec;

        private GroupCommand(String problem) {
            this.problem = problem;
        }

        /** @param problem the error if no command of the group is named */
        static CommandLine of(String name, String description, String problem) {
            CommandLine group = new CommandLine(new GroupCommand(problem));
            group.getCommandSpec().name(name).usageMessage().description(description);
            return group;
        }

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }
}
