package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.cli.progress.Units;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Replay;
import io.sluice.importer.options.RejectOptions;
import io.sluice.model.error.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice replay}: imports the repaired rows of a reject bundle into their table. */
@Command(
        name = "replay",
        description = "Import the repaired rows of a reject bundle into their table.",
        footer = {"", "Bundles are described in docs/how-to/rejects.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ReplayCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Spec
    CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "BUNDLE",
            description = "Directory of the bundle, as given to --rejects; with --server, a directory of the service's"
                    + " machine.")
    String bundle;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store with the table.")
    @Nullable
    Path store;

    @Mixin
    NodesOptions target;

    @Mixin
    ServerOptions server;

    @Mixin
    RunOptions options;

    public ReplayCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        List<String> problems = new ArrayList<>();
        options.validate(problems);
        if (bundle.isBlank()) {
            problems.add("BUNDLE is empty: name the directory that --rejects named");
        }
        if (server.given()) {
            return onServer(problems);
        }
        server.validateAbsence(problems);
        target.validate(problems);
        target.validateAppend(problems);
        if ((store == null) == !target.remote.given()) {
            problems.add("give either --store DIR, or --nodes HOST:PORT, or --server URL");
        } else if (store != null && !Files.isDirectory(store)) {
            problems.add("--store " + store + ": no such store; name the one that the import went to");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        Bundle opened = Bundle.open(Path.of(bundle));
        Replay replay = Replay.of(opened, opened.inputs());
        tell(replay);
        ImportReport report = run(replay);
        new ImportRun(console, options)
                .printPublished(() -> ReportPrinter.json(report), () -> ReportPrinter.text(report));
        return report.withoutRejects() ? ExitCode.OK : ExitCode.REJECTS;
    }

    private int onServer(List<String> problems) {
        ObjectNode request = ServerSpec.of(
                "bundle", bundle, server, spec.commandLine().getParseResult()::hasMatchedOption, problems);
        request.put("maxRejects", options.rejects.maxRejects());
        request.put("onConflict", options.rejects.policy().label());
        request.put("verify", options.verify.name().toLowerCase(Locale.ROOT));
        request.put("bytesPerSecond", options.bytesPerSecond());
        return new ServerJob(console, server, server.client(target.remote.access()), options.json, options.quiet)
                .run(request, job -> ReportPrinter.json(Objects.requireNonNull(job.report())), JobEnding::report);
    }

    private void tell(Replay replay) {
        if (!options.quiet) {
            console.err()
                    .printf(
                            "sluice: %s to replay, %,d of them as they were rejected%n",
                            Units.number(replay.check().records(), "record"),
                            replay.check().unchanged());
        }
        replay.leftOut().forEach(console::log);
    }

    private ImportReport run(Replay replay) {
        Bundle opened = replay.bundle();
        ImportNode node = store == null ? target.openForRows(console::log) : nodes.openForAppend(store);
        ImportReport report = null;
        try (var client = node.client();
                WorkDirectory work = WorkDirectory.in(options.tmp == null ? node.workDirectory() : options.tmp)) {
            replay.requireTable(client);
            BundleSettings rejects = options.bundle(
                    opened.manifest().imported().schema(),
                    RejectOptions.unusedBundle(opened.table().name()),
                    null);
            ImportSettings settings =
                    options.settings(opened.format(), work.path(), ImportSettings.Mode.MERGE, true, rejects);
            ImportProgress progress = new ImportProgress();
            ImportJob job = new ImportJob(client, opened.table(), replay.inputs(), settings, progress)
                    .controlledBy(new ImportControl().givingUpAfter(target.giveUpAfterMillis()));
            report = replay.reported(new ImportRun(console, options).watched(progress, "replay", job::run));
            return report;
        } catch (RuntimeException e) {
            throw report == null ? e : ImportRun.afterPublication(e);
        }
    }
}
