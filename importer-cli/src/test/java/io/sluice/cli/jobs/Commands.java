package io.sluice.cli.jobs;

import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs commands in this process. */
final class Commands {
    private Commands() {}

    /** The result of a command. */
    record Result(int exitCode, String out, String err) {}

    static Result run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        LocalNodes nodes = new LocalNodes(console, FaultPoints.none());
        int exitCode = Sluice.execute(Sluice.commands(nodes, console), arguments);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
