package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeClient;
import io.sluice.cli.ExitCode;
import io.sluice.cli.jobs.client.JobView;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.Printable;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.job.staged.StoreBackup;
import io.sluice.importer.options.S3Options;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
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

/**
 * {@code sluice ingest}, and {@code sluice restore} for backups: brings staged sets into a store or onto nodes, as new
 * tables.
 */
@Command(
        name = "ingest",
        description =
                "Ingest a staged set, or those of a backup, into a store or onto storage nodes: as new tables, or a set"
                        + " into a table that exists.",
        footer = {
            "",
            "The same command resumes an interrupted ingest; repeated, it changes nothing. 'restore' does the same, and"
                    + " ends with exit code 2 if a table that is there has other rows by now."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class IngestCommand implements Callable<Integer> {
    /** The other name of the command. */
    public static final String RESTORE = "restore";

    private final LocalNodes nodes;
    private final Console console;

    @Spec
    CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "SET",
            description =
                    "Staged set, or backup of several: a directory, or s3://BUCKET/PREFIX; with --server, a set in"
                            + " a directory of the service's machine.")
    String set;

    @Mixin
    S3Options s3;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store; created if missing.")
    @Nullable
    Path store;

    @Mixin
    NodesOptions target;

    @Mixin
    ServerOptions server;

    @Option(names = "--append", description = "Add the rows to a table that exists, all at once.")
    boolean append;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            description =
                    "With --append: policy for rows whose key the table has with another value: error (default) or"
                            + " last (the rows of the set replace them).")
    @Nullable
    ConflictPolicy onConflict;

    @Option(
            names = "--verify",
            paramLabel = "V",
            defaultValue = "sums",
            description =
                    "Verification: sums (default; compare counts and checksums), or full (also read all rows back).")
    Verification verify;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that check and ship files. Default: one per core.")
    int workers = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description = "Directory for copies of SSTs on their way. Default: in the store, or with --nodes the"
                    + " system's.")
    @Nullable
    Path tmp;

    @Option(names = "--json", description = "Print the result as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    /** Tables that have other rows than their sets, since statements have changed them. */
    private final List<String> changed = new ArrayList<>();

    public IngestCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        List<String> problems = new ArrayList<>();
        if (workers < 1) {
            problems.add("--workers " + workers + ": must be at least 1");
        }
        if (onConflict != null && !append) {
            problems.add("--on-conflict " + onConflict.label() + ": a new table has no rows to be in conflict with; add"
                    + " --append, or give the policy to sluice build");
        }
        if (server.given()) {
            return onServer(problems);
        }
        target.remote.check(store);
        target.validate(problems);
        server.validateAbsence(problems);
        if (append) {
            target.validateAppend(problems);
        }
        if (append && store != null && !Files.isDirectory(store)) {
            problems.add("--append: there is no store " + store + "; ingest without --append creates it");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        List<StagedSet> sets = StoreBackup.setsAt(SetPlace.of(set, s3.settings()));
        sets.forEach(StagedSet::forIngest);
        if (append && sets.size() > 1) {
            throw new BadInputException("--append: " + set + " is a backup of several tables; name the set of one");
        }
        if (sets.size() > 1) {
            // A damaged set must not stop the run in its middle.
            sets = check(sets);
        }
        // From here on the command creates the store.
        try (NewStore made = store == null ? NewStore.none() : NewStore.at(store)) {
            ingest(made, sets);
        }
        requireRestored();
        return ExitCode.OK;
    }

    private List<StagedSet> check(List<StagedSet> sets) {
        ImportProgress progress = new ImportProgress();
        return ImportRun.watched(
                console, style(), progress, "check", () -> StagedIngest.check(sets, progress, workers));
    }

    private ProgressLine.Style style() {
        return ProgressLine.Style.of(quiet, json, console.errIsTerminal());
    }

    /** Notes a table that has other rows than its set. */
    private void note(StagedIngest.Result result) {
        if (result.changed()) {
            changed.add(result.report().table());
        }
    }

    /**
     * Refuses to end well after a restore that left a table as it was. An ingest is repeated when it is not known how
     * an earlier one ended; a restore is to bring rows back.
     */
    private void requireRestored() {
        if (!changed.isEmpty() && spec.name().equals(RESTORE)) {
            throw new BadInputException("not restored: table " + String.join(", ", changed)
                    + ": it was changed since the set was ingested, and has other rows; drop it and restore again, or"
                    + " add the rows with --append");
        }
    }

    private void print(String place, String id, StagedIngest.Result result) {
        result.report().outcome().warnings().forEach(console::log);
        try (Output out = console.output()) {
            if (json) {
                out.line(StagedText.ingestedJson(id, result));
            } else if (!quiet) {
                StagedText.ingested(place, id, result).forEach(out::line);
            }
        }
    }

    private int onServer(List<String> problems) {
        ObjectNode request =
                ServerSpec.of("set", set, server, spec.commandLine().getParseResult()::hasMatchedOption, problems);
        request.put("append", append);
        request.put("verify", verify.name().toLowerCase(Locale.ROOT));
        if (onConflict != null) {
            request.put("onConflict", onConflict.label());
        }
        s3.put(request);
        int code = new ServerJob(console, server, server.client(target.remote.access()), json, quiet)
                .run(
                        request,
                        job -> StagedText.ingestedJson(job.setId(), result(job)),
                        job -> StagedText.ingested(
                                Printable.line(
                                        job.json().path("spec").path("set").asText()),
                                job.setId(),
                                result(job)),
                        job -> note(result(job)));
        requireRestored();
        return code;
    }

    /** The result of a job of a service, from its report. */
    private static StagedIngest.Result result(JobView job) {
        JsonNode ingest = job.json().path("report").path("ingest");
        return new StagedIngest.Result(
                Printable.line(ingest.path("state").asText(StagedIngest.Result.INGESTED)),
                ingest.path("rewritten").asBoolean(),
                Objects.requireNonNull(job.report()));
    }

    private void ingest(NewStore made, List<StagedSet> sets) {
        if (store != null) {
            ingest(made, nodes.openForImport(store), sets);
            return;
        }
        for (StagedSet each : sets) {
            // Each table has a number of replicas of its own.
            ImportNode node = append
                    ? target.openForRows(console::log)
                    : target.openForRestore(
                            each.manifest().target().table(), each.manifest().replicas(), console::log);
            ingest(made, node, List.of(each));
        }
    }

    private void ingest(NewStore made, ImportNode node, List<StagedSet> sets) {
        made.opened();
        try (var client = node.client();
                WorkDirectory work = WorkDirectory.in(tmp == null ? node.workDirectory() : tmp)) {
            for (StagedSet opened : sets) {
                StagedIngest.Result result = ingest(client, work, opened);
                made.keep();
                note(result);
                print(opened.place().toString(), opened.manifest().id(), result);
            }
        } catch (ImportPausedException e) {
            made.keep();
            throw e;
        }
    }

    private StagedIngest.Result ingest(NodeClient client, WorkDirectory work, StagedSet opened) {
        ImportProgress progress = new ImportProgress();
        StagedIngest ingest = new StagedIngest(
                opened,
                client,
                work.path(),
                workers,
                verify == Verification.FULL,
                new ImportControl().givingUpAfter(target.giveUpAfterMillis()),
                progress);
        ConflictPolicy policy = onConflict == null ? ConflictPolicy.ERROR : onConflict;
        return ImportRun.watched(
                console, style(), progress, "ingest", () -> append ? ingest.append(policy) : ingest.run());
    }
}
