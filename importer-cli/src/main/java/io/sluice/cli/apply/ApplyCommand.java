package io.sluice.cli.apply;

import io.sluice.cli.memory.BlockCacheOption;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.progress.Units;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.node.SteadyClock;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.sql.apply.ChangeLogs;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice apply}: applies a change log to the tables of a store or of nodes. */
@Command(
        name = "apply",
        description = {
            "Apply a change log to imported tables: one JSON object per line, as change-data-capture tools write them.",
            "Lines are {\"table\", \"op\": \"insert|update|delete\", \"key\": {..}, \"row\": {..}}, or have Debezium's op,"
                    + " before, after and source. Changes of the same row keep their order.",
            "A repeated run continues after the changes that are applied; the log may have grown."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ApplyCommand implements Callable<Integer> {
    private static final double MILLIS_PER_SECOND = 1000;

    private final LocalNodes nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "CHANGES", description = "The change log, a file.")
    Path log;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Mixin
    BlockCacheOption blockCache;

    @Option(names = "--workers", paramLabel = "N", description = "Number of threads. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "8192",
            description = "Limit of lines per transaction. Default: ${DEFAULT-VALUE}.")
    int batch;

    @Option(
            names = "--upsert",
            description =
                    "For a log that begins before the snapshot: inserts and moves replace existing rows, updates of missing"
                            + " rows insert them if they have all columns and are passed over otherwise, deletes ignore"
                            + " missing rows.")
    boolean upsert;

    @Option(names = "--from-start", description = "Apply the log from its beginning, ignoring the stored position.")
    boolean fromStart;

    @Option(
            names = "--log-name",
            paramLabel = "NAME",
            description = "Name under which the store keeps the position of the log. Default: its path.")
    @Nullable
    String name;

    /** Creates the command with the given nodes and streams. */
    public ApplyCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        String known = name == null ? log.toAbsolutePath().normalize().toString() : name;
        ChangeLogs.Settings settings = new ChangeLogs.Settings(workers, batch, upsert, fromStart, known);
        remote.check(store);
        blockCache.check(store);
        Path directory = store;
        if (directory == null) {
            try (SqlEngine engine =
                    SqlEngine.onNodes(remote.named().participants(), SqlSettings.forNodes(), new SteadyClock())) {
                tell(new ChangeLogs(engine, new SteadyClock()).apply(log, settings));
            }
            return 0;
        }
        try (StorageNode node = nodes.openForStatements(directory, blockCache.bytes());
                SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults())) {
            tell(new ChangeLogs(engine, node.clock()).apply(log, settings));
        }
        return 0;
    }

    private void tell(ChangeLogs.Report report) {
        if (report.skipped() > 0) {
            console.err()
                    .println("skipped " + Units.number(report.skipped(), "line") + " that an earlier run had applied");
        }
        console.err()
                .println(String.format(
                        Locale.ROOT,
                        "applied %s in %s and %.1f s: %,.0f changes/s",
                        Units.number(report.changes(), "change"),
                        Units.number(report.transactions(), "transaction"),
                        report.millis() / MILLIS_PER_SECOND,
                        report.changesPerSecond()));
        if (report.passedOver() > 0) {
            console.err()
                    .println("passed over " + Units.number(report.passedOver(), "update")
                            + " of some columns, whose row is not there; the log should delete each of these rows"
                            + " later, unless it begins after the snapshot");
        }
    }
}
