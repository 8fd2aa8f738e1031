package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.cli.store.StoreCommand;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.job.staged.StoreBackup;
import io.sluice.importer.job.staged.TableBackup;
import io.sluice.importer.options.S3Options;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.ClusterSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice backup}: reads tables into staged sets, which {@code sluice restore} brings back. */
@Command(
        name = "backup",
        description =
                "Read a table, or all, with all indexes, into a staged set for each, which 'sluice restore' brings back.",
        footer = {
            "",
            "Running nodes are read at one moment. Without a snapshot, a table that changes while it is read leaves"
                    + " nothing behind (exit code 1): run the command again. The same command also removes what an"
                    + " interrupted one has left, and keeps its finished sets. See docs/how-to/backup.md."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class BackupCommand extends StoreCommand {
    private static final int MOST_THREADS = 8;

    private final Console console;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "Name of the table.")
    @Nullable
    String table;

    @Option(names = "--all", description = "Back up all tables, one after the other, each into a set below the place.")
    boolean all;

    @Option(
            names = "--output",
            paramLabel = "DIR|s3://BUCKET/PREFIX",
            required = true,
            description = "Place of the sets: new, empty, or left by an interrupted backup.")
    String output;

    @Mixin
    S3Options s3;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that read, each into an SST of its own. Default: one per core, at most "
                    + MOST_THREADS + ".")
    int workers = Math.min(Runtime.getRuntime().availableProcessors(), MOST_THREADS);

    @Option(names = "--json", description = "Print a JSON object for each table.")
    boolean json;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    private SetPlace place;

    public BackupCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
        this.console = console;
    }

    @Override
    protected void check() {
        if (workers < 1) {
            throw new BadInputException("--workers " + workers + ": must be at least 1");
        }
        if (all == (table != null)) {
            throw new BadInputException("name a TABLE, or give --all");
        }
        place = SetPlace.of(output, s3.settings());
    }

    @Override
    protected void run(NodeClient node, Output out) {
        if (table != null) {
            TableStatus known = table(node, table);
            StagedSet unused = backUpAlone(node, known, place, out);
            return;
        }
        try (ClusterSnapshot snapshot = snapshot(
                node, List.of(), reason -> console.log("each table is read at a moment of its own: " + reason))) {
            backUpAll(node, snapshot, out);
        }
    }

    /** @param snapshot of all tables; null: each gets one of its own */
    private void backUpAll(NodeClient node, @Nullable ClusterSnapshot snapshot, Output out) {
        StoreBackup.Run run = new StoreBackup.Run(snapshot == null ? node : snapshot, place);
        int failed = 0;
        boolean badInput = true;
        for (TableStatus each : run.tables()) {
            try {
                SetPlace to = run.place(each);
                run.add(
                        each,
                        snapshot == null
                                ? backUpAlone(node, each, to, out)
                                : backUp(node, snapshot, each.table().name(), to, out));
            } catch (NodeUnreachableException e) {
                throw e;
            } catch (BadInputException | OperationFailedException e) {
                failed++;
                badInput &= e instanceof BadInputException;
                console.log("table " + each.table().name() + " is not backed up: " + e.getMessage());
            }
        }
        if (failed > 0) {
            String why = failed + " of " + run.tables().size() + " tables are not backed up, as said above, and no list"
                    + " of the sets is written. Run the command again when that is mended: it keeps the sets of the"
                    + " other tables";
            throw badInput ? new BadInputException(why) : new OperationFailedException(why);
        }
        if (!run.finish().oneMoment()) {
            console.log("tables have changed, come or gone meanwhile, or their rows are not counted: each"
                    + " set is of one moment, but not all of the same");
        }
    }

    /** Reads a table at a moment of its own. */
    private StagedSet backUpAlone(NodeClient node, TableStatus known, SetPlace to, Output out) {
        String name = known.table().name();
        try (ClusterSnapshot snapshot = snapshot(
                node,
                List.of(name),
                reason ->
                        console.log("table " + name + " is read as it is, and must not change meanwhile: " + reason))) {
            return backUp(node, snapshot == null ? node : snapshot, name, to, out);
        }
    }

    private StagedSet backUp(NodeClient node, TableSource source, String name, SetPlace to, Output out) {
        ImportProgress progress = new ImportProgress();
        progress.watch(node);
        TableBackup backup = new TableBackup(source, table(source, name), to, workers, progress);
        TableBackup.Result result = ImportRun.watched(
                console, ProgressLine.Style.of(quiet, json, console.errIsTerminal()), progress, "backup", backup::run);
        if (json) {
            out.line(StagedText.json(result.set(), result.already() ? "already_backed_up" : "backed_up", more -> {}));
        } else if (!quiet) {
            StagedText.lines(result.set(), result.already() ? "already backed up" : "backed up")
                    .forEach(out::line);
        }
        return result.set();
    }
}
