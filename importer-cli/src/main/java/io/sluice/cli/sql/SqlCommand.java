package io.sluice.cli.sql;

import io.sluice.cli.memory.BlockCacheOption;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.cli.remote.ServerOption;
import io.sluice.client.RemoteSettings;
import io.sluice.client.RemoteSql;
import io.sluice.grammar.SqlClient;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.SteadyClock;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluice sql}: statements on the rows of a store or a node. */
@Command(
        name = "sql",
        description = {
            "Execute statements on one table each: SELECT with conditions, groups and order, INSERT, UPDATE, DELETE, BEGIN,"
                    + " COMMIT, ROLLBACK, EXPLAIN.",
            "They come from -e, or from standard input, or from a prompt if that is a terminal. The first that fails"
                    + " ends the command; a transaction that is not committed is undone."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class SqlCommand implements Callable<Integer> {
    /** Set by the launcher, which can ask the shell. */
    private static final String IN_IS_TERMINAL = "sluice.in.terminal";

    private final LocalNodes nodes;
    private final Console console;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Mixin
    ServerOption server;

    @Mixin
    BlockCacheOption blockCache;

    @Option(
            names = {"-e", "--execute"},
            paramLabel = "SQL",
            description = "Statements, separated by semicolons.")
    @Nullable
    String statements;

    @Option(
            names = {"-p", "--parameter"},
            paramLabel = "VALUE",
            parameterConsumer = AnyValue.class,
            description = "Value of the next question mark in the single statement; never parsed as SQL.")
    List<String> parameters = List.of();

    @Option(names = "--json", description = "Print one JSON object per statement and line.")
    boolean json;

    /** The command over the given nodes and streams. */
    public SqlCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        server.check(store, remote);
        blockCache.check(store);
        Path directory = store;
        if (directory == null) {
            RemoteSettings service = server.settings(remote);
            List<RemoteSettings> remotes = service == null ? remote.named().settings() : List.of(service);
            if (remotes.size() > 1) {
                try (SqlEngine engine = SqlEngine.onNodes(
                                remote.named().participants(), SqlSettings.forNodes(), new SteadyClock());
                        SqlClient client = engine.open()) {
                    return run(client);
                }
            }
            try (SqlClient client = new RemoteSql(remotes.get(0))) {
                return run(client);
            }
        }
        try (StorageNode node = nodes.openForStatements(directory, blockCache.bytes());
                SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
                SqlClient client = engine.open()) {
            return run(client);
        }
    }

    private int run(SqlClient client) {
        try (Output out = console.data()) {
            ResultPrinter printer = new ResultPrinter(json, out, console.err());
            if (statements == null && Boolean.getBoolean(IN_IS_TERMINAL)) {
                if (!parameters.isEmpty()) {
                    throw new BadInputException("--parameter needs a statement: give it with -e");
                }
                return new Prompt(client, printer).run();
            }
            try (Reader reader = statements == null
                    ? new InputStreamReader(System.in, StandardCharsets.UTF_8.newDecoder())
                    : new StringReader(statements)) {
                return new Script(client, printer, parameters).run(reader);
            } catch (CharacterCodingException e) {
                throw new BadInputException(
                        "standard input: a statement is not UTF-8 text; the statements before it may have been executed",
                        e);
            } catch (IOException e) {
                throw new OperationFailedException("cannot read standard input: " + e.getMessage(), e);
            }
        }
    }

    /** Takes the next argument as a value, even if it is the name of an option. */
    static final class AnyValue implements IParameterConsumer {
        @Override
        @SuppressWarnings("JdkObsolete") // picocli's signature
        public void consumeParameters(Stack<String> arguments, ArgSpec option, CommandSpec command) {
            if (arguments.isEmpty()) {
                throw new ParameterException(command.commandLine(), "--parameter needs a value");
            }
            List<String> before = option.getValue();
            List<String> values = new ArrayList<>(before == null ? List.of() : before);
            values.add(arguments.pop());
            option.setValue(values);
        }
    }
}
