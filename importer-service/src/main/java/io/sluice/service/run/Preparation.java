package io.sluice.service.run;

import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.job.Replay;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import io.sluice.model.schema.Table;
import io.sluice.sampler.AutoMode;
import io.sluice.sampler.ImportPlan;
import io.sluice.sampler.InputSample;
import io.sluice.sampler.ModeChoice;
import io.sluice.sampler.SampledPlanner;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobState;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.ImportSpec.Origin;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Prepares or plans an import from a request: finds and prechecks the inputs, and chooses a mode. */
final class Preparation {
    /** Directory of the bundle of rejects among a job's files. */
    static final String REJECTS = "rejects";

    /** Directory of the journal among a job's files: encoded KVs that nodes do not have durably. */
    private static final String JOURNAL = "journal";

    /**
     * Seed of the sample in mode two-pass; constant, so that an import that starts over chooses the same split keys.
     */
    private static final long SAMPLE_SEED = 1;

    /** Size of the sample for a plan. */
    private static final long PLAN_SAMPLE_BYTES = 16L << 20;

    private final Target target;
    private final SourceRoots roots;
    private final NamedSources named;
    private final RunSettings settings;
    /** Ids of the sets that jobs ingest now. */
    private final Set<UUID> ingested = ConcurrentHashMap.newKeySet();

    Preparation(Target target, SourceRoots roots, NamedSources named, RunSettings settings) {
        this.target = target;
        this.roots = roots;
        this.named = named;
        this.settings = settings;
    }

    SourceRoots roots() {
        return roots;
    }

    /** Directory of a job's temporary files; removed before and after each attempt. */
    Path workDirectory(Job job) {
        return target.workDirectory().resolve("job-" + job.id());
    }

    /**
     * An import that is ready to run, and the reason for its mode.
     *
     * @param replay the bundle whose records it imports, or null
     * @param remarks what the checks have found in the inputs that may be meant otherwise, one sentence each
     */
    record Import(
            Target target,
            Job job,
            ImportSpec spec,
            List<InputFile> inputs,
            ImportSettings settings,
            ModeChoice mode,
            @Nullable Replay replay,
            List<String> remarks) {
        ImportReport reported(ImportReport report) {
            ImportReport remarked = report.warning(remarks);
            return replay == null ? remarked : replay.reported(remarked);
        }

        ImportJob job(ImportProgress progress) {
            return new ImportJob(
                            target.node(),
                            spec.target().table(),
                            inputs,
                            settings,
                            progress,
                            job.importId(),
                            new SampledPlanner(spec.target().table().indexes().size(), SAMPLE_SEED))
                    .journaledIn(journal(job));
        }
    }

    /**
     * Prepares an attempt.
     *
     * @param work directory for temporary files; created by this method
     * @throws BadInputException if inputs are invalid; the message names all of them
     */
    Import of(Job job, Path work) {
        ImportSpec spec = ImportSpec.of(job.spec());
        Replay replay = spec.source().origin() == Origin.BUNDLE
                ? named.replay(spec.source().inputs().get(0))
                : null;
        if (replay != null) {
            replay.requireTable(target.node());
        }
        List<String> remarks = new ArrayList<>();
        List<InputFile> inputs = replay != null
                ? replay.inputs()
                : roots.resolve(spec.source().inputs(), spec.source().settings(), remarks::add);
        InputFormat format = replay != null ? replay.bundle().format() : format(spec, inputs);
        Precheck precheck =
                new Precheck(format, spec.target().table(), spec.rules().maxRejects());
        precheck.run(inputs);
        remarks.addAll(precheck.remarks());
        make(work);
        ModeChoice mode = mode(job, spec, inputs, format, work);
        ImportSettings made = new ImportSettings(
                format,
                new ImportSettings.Resources(
                        work, settings.memoryBytesPerJob(), settings.workers(), spec.bytesPerSecond()),
                new ImportSettings.Rejects(
                        spec.rules().maxRejects(),
                        new BundleSettings(
                                bundle(job),
                                spec.target().schema(),
                                settings.version(),
                                BundleSettings.Choice.SERVICE)),
                mode.mode(),
                spec.rules().onConflict(),
                spec.append(),
                spec.rules().verify(),
                SstFormat.Writer.JAVA);
        return new Import(target, job, spec, inputs, made, mode, replay, List.copyOf(remarks));
    }

    /** An ingest of a staged set that is ready to run, and whether it adds rows to a table. */
    record Ingest(
            StagedIngest work, ModeChoice mode, @Nullable ConflictPolicy append) {
        StagedIngest.Result run() throws InterruptedException {
            return append == null ? work.run() : work.append(append);
        }
    }

    /**
     * Prepares an attempt to ingest a staged set.
     *
     * @param work directory for copies of SSTs; created by this method
     * @throws BadInputException if there is no such set any more
     */
    Ingest ingest(ImportSpec spec, Path work, ImportControl control, ImportProgress progress) {
        StagedSet set = named.set(spec.source().inputs().get(0), spec.source().settings());
        if (!set.manifest().setId().equals(spec.source().setId())) {
            throw new BadInputException(set.place() + ": holds another set now; submit it again");
        }
        make(work);
        return new Ingest(
                new StagedIngest(
                        set,
                        target.node(),
                        work,
                        settings.workers(),
                        spec.rules().verify() == Verification.FULL,
                        control,
                        progress),
                new ModeChoice(Mode.MERGE, "the rows of a staged set come in all at once"),
                spec.append() ? spec.rules().onConflict() : null);
    }

    /**
     * Takes the only place of jobs that ingest one set. They share its import on the nodes: a job that opened the
     * import, for whatever reason, would fence the ingest of another one.
     *
     * @param set id of the set; null: the job ingests none
     * @throws OperationFailedException if another job has it
     */
    void take(@Nullable UUID set) {
        if (!tryTake(set)) {
            throw new OperationFailedException(
                    "another job ingests staged set " + set + " now; watch that one, or submit this again after it");
        }
    }

    /** As {@link #take}; returns false if another job has the place. */
    boolean tryTake(@Nullable UUID set) {
        return set == null || ingested.add(set);
    }

    void giveBack(@Nullable UUID set) {
        if (set != null) {
            ingested.remove(set);
        }
    }

    /** The id under which nodes know the import of a job: that of its set, if it ingests one. */
    static UUID importId(Job job, ImportSpec spec) {
        UUID set = spec.source().setId();
        return set == null ? job.importId() : set;
    }

    private static InputFormat format(ImportSpec spec, List<InputFile> inputs) {
        InputFormat format = spec.source().format().of(inputs);
        format.validate();
        InputFile first = inputs.get(0);
        format.validate(DirectoryValues.of(first).fill(spec.target().table(), first.name()));
        return format;
    }

    /** Plans an import from a sample of the beginning of its inputs, as {@link JobRuns#plan}. */
    ImportPlan plan(ImportSpec spec) {
        List<InputFile> inputs =
                roots.resolve(spec.source().inputs(), spec.source().settings());
        InputFormat format = format(spec, inputs);
        if (!InputScan.possible(inputs)) {
            throw new BadInputException("a plan needs inputs that can be read again; name files, not a pipe");
        }
        new Precheck(format, spec.target().table(), RejectLimit.NONE).run(inputs);
        Table table = Table.inNewStore(spec.target().tables(), spec.target().table());
        InputSample sample = InputSample.at(table, inputs, format, PLAN_SAMPLE_BYTES);
        Forecast forecast = new Forecast(
                sample.indexes(),
                settings.memoryBytesPerJob(),
                settings.workers(),
                sample.seen().totalBytes());
        ModeChoice.Place place = new ModeChoice.Place(target.nodes(), freeBytes(), -1, target.store() != null);
        return new ImportPlan(
                spec.target().table().name(), sample, forecast, ModeChoice.resumable(forecast, place), target.nodes());
    }

    private long freeBytes() {
        try {
            return Files.getFileStore(target.workDirectory()).getUsableSpace();
        } catch (IOException e) {
            throw new OperationFailedException(
                    target.workDirectory() + ": its free space cannot be found: " + e.getMessage(), e);
        }
    }

    /**
     * Publishes the import of a job if that is the only step left, whatever happened to its inputs since.
     *
     * @return the report; null if other steps are left
     */
    @Nullable
    ImportReport published(Job job) {
        Mode mode = begunIn(job);
        ImportSpec spec = ImportSpec.of(job.spec());
        if (mode == null || spec.append()) {
            return null;
        }
        try {
            return publishFinished(job, spec, mode);
        } catch (BadInputException e) {
            // The following attempt reports the error.
            return null;
        }
    }

    /**
     * Publishes the import of a job if it is finished, completes its bundle, and removes its journal.
     *
     * @return the report; null if it is not finished
     */
    @Nullable
    ImportReport publishFinished(Job job, ImportSpec spec, Mode mode) {
        ImportReport report =
                ImportJob.publishFinished(target.node(), spec.target().table(), mode, importId(job, spec), bundle(job));
        if (report == null) {
            return null;
        }
        try {
            Journal.delete(journal(job));
            return report;
        } catch (OperationFailedException e) {
            return report.warning(List.of(e.getMessage() + "; remove it by hand"));
        }
    }

    /**
     * The kind of a job's failure. A node's answer does not tell that the table exists or is missing; the node does.
     */
    FailureCode codeOf(SluiceException failure, Job job) {
        if (failure.code() != FailureCode.INVALID || job.state() == JobState.PRECHECKING) {
            return failure.code();
        }
        ImportSpec spec = ImportSpec.of(job.spec());
        try {
            boolean exists = target.node().table(job.record().table()) != null;
            if (exists != spec.append()) {
                return exists ? FailureCode.TABLE_EXISTS : FailureCode.NO_TABLE;
            }
        } catch (SluiceException e) {
            // Nodes that do not answer leave it open.
        }
        return FailureCode.INVALID;
    }

    /** Directory of the journal of a resumable job. */
    static Path journal(Job job) {
        return job.files().directory(job.id()).resolve(JOURNAL);
    }

    /** Directory of the bundle of a job; created only for rejects. */
    static Path bundle(Job job) {
        return job.files().directory(job.id()).resolve(REJECTS);
    }

    /** Removes a bundle that cannot be resumed. */
    void discardBundle(Job job) {
        try {
            DurableFiles.deleteTree(bundle(job));
        } catch (IOException e) {
            throw new OperationFailedException(bundle(job) + " cannot be removed: " + e.getMessage(), e);
        }
    }

    private static void make(Path work) {
        try {
            DurableFiles.deleteTree(work);
            OwnerOnly.createDirectories(work);
        } catch (IOException e) {
            throw new OperationFailedException(work + ": no temporary files can be made here: " + e.getMessage(), e);
        }
    }

    /** Chooses the mode once per job, because nodes keep data of an import in its first mode. */
    private ModeChoice mode(Job job, ImportSpec spec, List<InputFile> inputs, InputFormat format, Path work) {
        String before = job.record().mode();
        if (before != null) {
            String why = job.record().modeWhy();
            return new ModeChoice(mode(before), why == null ? "" : why);
        }
        if (spec.append()) {
            return new ModeChoice(Mode.MERGE, "rows for a table that exists come in all at once");
        }
        Mode asked = spec.mode();
        if (asked != null) {
            return new ModeChoice(asked, "asked for");
        }
        AutoMode auto = new AutoMode(settings.memoryBytesPerJob(), settings.workers(), target.nodes());
        Table table = Table.inNewStore(spec.target().tables(), spec.target().table());
        return spec.rules().onConflict() == ConflictPolicy.ERROR
                ? auto.chooseResumable(table, inputs, format, work, target.store())
                : auto.choose(table, inputs, format, work, target.store());
    }

    private static Mode mode(String label) {
        return Mode.valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The mode of a job's first attempt, or null. */
    static @Nullable Mode begunIn(Job job) {
        String label = job.record().mode();
        return label == null ? null : mode(label);
    }
}
