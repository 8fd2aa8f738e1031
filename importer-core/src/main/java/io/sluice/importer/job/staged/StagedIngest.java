package io.sluice.importer.job.staged;

import io.sluice.api.node.AppendSession;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.resume.FinishedImport;
import io.sluice.importer.job.verify.ConflictReport;
import io.sluice.importer.job.verify.Verifier;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.NodeBusyException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Ingests a staged set into a storage node or a cluster, as an import whose id is the set's id:
 *
 * <ol>
 *   <li>check: every file of the set agrees with the manifest
 *   <li>begin: the node creates an invisible table and assigns its id
 *   <li>ship: copies of the SSTs go to the nodes, rewritten if the table has another id there
 *   <li>finalize: all SSTs enter the LSM tree at once
 *   <li>verify: the checksums of the store and of the manifest agree
 *   <li>publish: the table becomes visible
 * </ol>
 *
 * <p>Repeating an interrupted ingest completes it; repeating a finished one changes nothing.
 */
public final class StagedIngest {
    /** Keys of the table that an append may replace; each takes some 128 bytes. */
    private static final int MOST_COLLISIONS = 1 << 20;

    private final StagedSet set;
    private final NodeClient node;
    private final Path workDirectory;
    private final int workers;
    private final boolean readBack;
    private final ImportControl control;
    private final ImportProgress progress;
    private final long startNanos = System.nanoTime();

    /**
     * Creates an ingest. The caller closes the node.
     *
     * @param workDirectory directory of copies on their way; it must belong to this ingest alone
     * @param readBack whether all KVs are read back before publication
     * @param control stops it
     * @param progress shows its progress; its bytes are those of SSTs
     */
    public StagedIngest(
            StagedSet set,
            NodeClient node,
            Path workDirectory,
            int workers,
            boolean readBack,
            ImportControl control,
            ImportProgress progress) {
        this.set = set;
        this.node = node;
        this.workDirectory = workDirectory;
        this.workers = workers;
        this.readBack = readBack;
        this.control = control;
        this.progress = progress;
    }

    /**
     * The result of an ingest.
     *
     * @param state {@link #INGESTED}, {@link #ALREADY}, {@link #CHANGED} or {@link #APPENDED}
     * @param rewritten whether the table has another id here than in the set
     * @param report the report; rows that the table had already are its duplicates
     */
    public record Result(String state, boolean rewritten, ImportReport report) {
        public static final String INGESTED = "ingested";
        static final String ALREADY = "already ingested";
        /** The set was ingested before, and its table has other rows now. */
        static final String CHANGED = "already ingested and changed since";

        static final String APPENDED = "appended";

        /** Whether the table was there before and has other rows than the set, so that nothing was done. */
        public boolean changed() {
            return state.equals(CHANGED);
        }
    }

    /**
     * Runs the ingest to its end.
     *
     * @throws BadInputException if the set is damaged, or the table cannot be created
     * @throws ImportPausedException if a pause was requested, nodes did not answer or took nothing for too long, or the
     *     object store of the set did not answer; a repeated run resumes
     * @throws OperationFailedException if the work fails; nothing is visible
     */
    public Result run() throws InterruptedException {
        return controlled(false, this::ingest);
    }

    /** The work between the check of the files and the report. */
    private interface Work {
        Result run() throws InterruptedException;
    }

    /**
     * Checks the files and does the work, until a stop is requested.
     *
     * @param append whether it adds rows to a table, of which nodes keep nothing in a pause
     */
    private Result controlled(boolean append, Work work) throws InterruptedException {
        String again = append
                ? "Nodes keep nothing of an append. Run the same command again: it starts over, and rows that the table"
                        + " has already change nothing"
                : "Nodes keep what they have. Run the same command again to resume it";
        progress.watch(node);
        control.attach();
        try {
            expect(set, progress);
            if (!set.compared()) {
                List<StagedSet> unused = check(List.of(set), progress, workers);
            }
            return work.run();
        } catch (ImportPausedException | NodeUnreachableException | NodeBusyException e) {
            throw new ImportPausedException("the ingest is paused: " + e.getMessage(), append, again, e);
        } catch (InterruptedException | RuntimeException e) {
            if (!control.stopped() || e instanceof BadInputException) {
                throw e;
            }
            throw ImportPausedException.onRequest("the ingest is paused, as asked\n" + again, append);
        } finally {
            if (control.stopped()) {
                // The interrupt was meant for this ingest, not for the caller.
                boolean unused = Thread.interrupted();
            }
        }
    }

    private Result ingest() throws InterruptedException {
        Table built = set.manifest().table();
        TableStatus present = node.table(built.name());
        if (present != null && present.incomplete() == null && isThis(present, built)) {
            return already(built, present, List.of());
        }
        ImportRequest request = new ImportRequest(
                built.def(), IngestTiming.AT_END, set.manifest().setId(), 0);
        ImportSession session = node.beginImport(request);
        boolean keep = false;
        try {
            if (session.resumed()) {
                Map<String, byte[]> records = session.checkpoints();
                FinishedImport finished = FinishedImport.of(built.name(), records);
                if (finished != null) {
                    keep = true;
                    control.finish();
                    finished.publish(session);
                    keep = false;
                    return already(built, node.table(built.name()), session.warnings());
                }
                if (!records.isEmpty() && !records.containsKey(StagedShipping.UNCHANGED)) {
                    session = restart(session, request);
                }
            }
            boolean rewritten = shipping(session).ship(true);
            progress.enter(Phase.INGEST);
            IngestReport ingested = session.finalizeIngest();
            progress.ingested(ingested);
            progress.enter(Phase.VERIFY);
            List<IndexChecksum> sums = expected(session.table(), built, session);
            control.finish();
            ImportReport report = report(ingested, rows(sums), 0, session.warnings());
            new FinishedImport(report, ChecksumBody.of(sums), null).note(session);
            keep = true;
            progress.enter(Phase.PUBLISH);
            session.publish(sums);
            keep = false;
            return new Result(Result.INGESTED, rewritten, report);
        } catch (ImportPausedException | NodeUnreachableException | NodeBusyException e) {
            keep = true;
            throw e;
        } catch (IOException e) {
            throw new OperationFailedException("the set could not be ingested: " + e.getMessage(), e);
        } finally {
            if (control.stopped()) {
                // The requests below must reach the nodes.
                boolean unused = Thread.interrupted();
            }
            if (keep || control.stopped()) {
                // Nodes keep the SSTs; and some of several may have published.
                session.detach();
            } else {
                session.close();
            }
        }
    }

    /**
     * The result for a set that was ingested before.
     *
     * @param present its table, whose rows may have changed since; null: it is gone
     */
    private Result already(Table built, @Nullable TableStatus present, List<String> warnings) {
        if (present != null && present.incomplete() != null) {
            throw new OperationFailedException(present.incomplete());
        }
        TableDigest now = present == null ? null : node.digest(present);
        boolean same = now == null || agree(set.manifest().sums(), now.indexes());
        List<String> all = new ArrayList<>(warnings);
        if (now != null && !same) {
            all.add("table " + built.name() + " was changed since the set was ingested (rows now: " + now.rows()
                    + ", in the set: " + rows(set.manifest().sums()) + "); nothing was done. To have the rows of the"
                    + " set again, drop the table first, or add them with --append");
        }
        return new Result(
                same ? Result.ALREADY : Result.CHANGED,
                false,
                report(new IngestReport(0, 0, 0, 0, 0, 0, 0), 0, 0, all));
    }

    /**
     * The report of the ingest. KVs, SSTs, bytes and digest are those of the set.
     *
     * @param added rows that are new in the table
     * @param replaced rows of the table that lost a conflict
     * @param warnings what the operator should know about the nodes, one sentence each
     */
    private ImportReport report(IngestReport ingested, long added, long replaced, List<String> warnings) {
        List<IndexChecksum> sums = set.manifest().sums();
        double seconds = Math.round((System.nanoTime() - startNanos) / 1e6) / 1e3;
        return new ImportReport(
                set.manifest().target().table(),
                new ImportReport.Outcome(ImportReport.SUCCEEDED, Mode.MERGE.label(), null, warnings),
                new ImportReport.Rows(
                        rows(sums), added, 0, rows(sums) - added, replaced, 0, replaced, ImportReport.Rejects.NONE),
                ImportReport.counts(sums),
                new ImportReport.Bytes(set.manifest().bytes(), 0, ingested.peakBufferBytes(), progress.bytesBefore()),
                new ImportReport.Store(
                        set.manifest().ssts().size(),
                        ingested.puts(),
                        ingested.maxHeight(),
                        ingested.l0Files(),
                        ImportReport.amplification(ingested)),
                new ImportReport.Times(Map.of("total", seconds), Map.of(), progress.limiter()),
                new TableDigest(set.manifest().target().table(), sums).digest());
    }

    /**
     * Compares the files of sets with their manifests, before any set is ingested. Objects are read once only: their
     * content is checked on its way.
     *
     * @param progress shows the bytes that were read
     * @return the sets, which an ingest does not compare again
     * @throws BadInputException naming all files that are missing or damaged
     */
    public static List<StagedSet> check(List<StagedSet> sets, ImportProgress progress, int workers) {
        List<String> found = new ArrayList<>();
        for (StagedSet each : sets) {
            expect(each, progress);
            SetPlace place = each.place();
            SetPlace.Comparison comparison = new SetPlace.Comparison() {
                @Override
                public boolean reads(StagedManifest.Sst sst) {
                    return place.local();
                }

                @Override
                public void read(long bytes) {
                    progress.done(bytes, 0);
                }
            };
            List<String> problems = place.problems(each.manifest(), comparison, workers);
            if (!problems.isEmpty()) {
                found.add(place + ": the files do not agree with the manifest, and nothing was ingested:\n"
                        + String.join("\n", problems));
            }
        }
        if (!found.isEmpty()) {
            throw new BadInputException(String.join("\n", found));
        }
        return sets.stream()
                .map(each -> new StagedSet(each.place(), each.manifest(), true))
                .toList();
    }

    private static void expect(StagedSet set, ImportProgress progress) {
        progress.expectBytes(set.manifest().bytes());
        progress.expect(1, set.manifest().sums().size());
    }

    private static long rows(List<IndexChecksum> sums) {
        return sums.get(0).sum().count();
    }

    /**
     * Adds the rows of the set to a table that exists, all at once. A row that the table has already changes nothing,
     * so an append can be repeated.
     *
     * @param onConflict policy for rows of the set whose key the table has with another value: {@code ERROR} or
     *     {@code LAST}; the others would leave rows of the set out
     * @throws BadInputException if the set is damaged, the table has another definition, or rows are in conflict
     * @throws ImportPausedException as {@link #run} throws it, but nodes keep nothing: a repeated run starts over
     * @throws OperationFailedException if the work fails; the table is unchanged, or the message says that this is
     *     unknown
     */
    public Result append(ConflictPolicy onConflict) throws InterruptedException {
        return controlled(true, () -> appendRows(onConflict));
    }

    private Result appendRows(ConflictPolicy onConflict) throws InterruptedException {
        Table built = set.manifest().table();
        ImportSession session = node.beginImport(ImportRequest.append(built.def()));
        try {
            boolean rewritten = shipping(session).ship(false);
            progress.enter(Phase.INGEST);
            IngestReport ingested = session.finalizeIngest();
            progress.enter(Phase.VERIFY);
            AppendSession append = Objects.requireNonNull(session.append());
            OverlapReport overlap = append.checkOverlap(MOST_COLLISIONS);
            long replaced = 0;
            if (overlap.collided() > 0) {
                List<byte[]> losers = losers(session.table(), append, overlap, onConflict);
                append.replace(losers);
                overlap = append.checkOverlap(MOST_COLLISIONS);
                replaced = losers.size();
            }
            if (readBack) {
                Verifier.check(
                        session.table(),
                        "to be in the table",
                        overlap.after(),
                        "read back",
                        session.readBack().indexes());
            }
            control.finish();
            progress.enter(Phase.PUBLISH);
            List<String> warnings = publish(session, overlap.after());
            long added = rows(set.manifest().sums()) - rows(overlap.repeated());
            return new Result(Result.APPENDED, rewritten, report(ingested, added, replaced, warnings));
        } catch (IOException e) {
            throw new OperationFailedException("the set could not be appended: " + e.getMessage(), e);
        } finally {
            if (control.stopped()) {
                // The request below must reach the node.
                boolean unused = Thread.interrupted();
            }
            session.close();
        }
    }

    /**
     * Publishes an append; returns warnings for the report. After a failure the table tells whether its rows are there.
     */
    private List<String> publish(ImportSession session, List<IndexChecksum> after) {
        try {
            session.publish(after);
            return session.warnings();
        } catch (OperationFailedException e) {
            if (!isPublished(session, after, e)) {
                throw e;
            }
            List<String> warnings = new ArrayList<>(session.warnings());
            warnings.add("the rows are published, and what comes after that failed: " + e.getMessage());
            return warnings;
        }
    }

    private boolean isPublished(ImportSession session, List<IndexChecksum> after, OperationFailedException failure) {
        String name = session.table().name();
        try {
            session.close();
            TableStatus status = node.table(name);
            return status != null && status.published().equals(after);
        } catch (OperationFailedException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /** Primary keys of the table's rows that hold a key of the set with another value, if the policy drops them. */
    private List<byte[]> losers(Table table, AppendSession append, OverlapReport overlap, ConflictPolicy onConflict) {
        List<OverlapReport.IndexKey> collisions = overlap.collisions();
        if (onConflict == ConflictPolicy.ERROR) {
            List<OverlapReport.IndexKey> shown =
                    collisions.stream().limit(ConflictReport.SHOWN).toList();
            ConflictLog log = new ConflictLog(table.indexes().size(), ConflictReport.SHOWN, 1 << 10);
            log.addConflicts(overlap.collided());
            Map<Fingerprint, OverlapReport.Holder> holders = new HashMap<>();
            List<OverlapReport.@Nullable Holder> found = append.holders(shown);
            for (int i = 0; i < shown.size(); i++) {
                OverlapReport.Holder holder = found.get(i);
                if (holder != null) {
                    byte[] key = shown.get(i).key();
                    holders.put(Fingerprint.of(key), holder);
                }
            }
            throw ConflictReport.ofSet(table).refuse(log, shown, holders);
        }
        String found = "table " + table.name() + " has " + overlap.collided() + " keys of the set with other values";
        if (onConflict != ConflictPolicy.LAST) {
            throw new BadInputException(found + ", and rows cannot be left out of a finished set; nothing was changed."
                    + " Give --on-conflict last, or import the inputs of the set with --append --on-conflict "
                    + onConflict.label());
        }
        if (overlap.collided() > collisions.size()) {
            throw new BadInputException(found + ", and at most " + collisions.size()
                    + " can be replaced at once; nothing was changed. Build the set from fewer inputs");
        }
        TreeSet<byte[]> losers = new TreeSet<>(Arrays::compareUnsigned);
        for (OverlapReport.@Nullable Holder holder : append.holders(collisions)) {
            if (holder != null) {
                losers.add(holder.key());
            }
        }
        return List.copyOf(losers);
    }

    private boolean isThis(TableStatus status, Table built) {
        return status.table().def().equals(built.def()) && agree(set.manifest().sums(), status.published());
    }

    /** Compares counts and hashes; the length of keys depends on the table id. */
    private static boolean agree(List<IndexChecksum> some, List<IndexChecksum> others) {
        boolean same = some.size() == others.size();
        for (int i = 0; same && i < some.size(); i++) {
            KvChecksum one = some.get(i).sum();
            KvChecksum other = others.get(i).sum();
            same = one.count() == other.count() && one.crcSum() == other.crcSum();
        }
        return same;
    }

    /** Undoes an attempt whose SSTs have ids of their own, and begins again. */
    private ImportSession restart(ImportSession session, ImportRequest request) {
        ImportSession restarted = session.restart();
        if (restarted != null) {
            return restarted;
        }
        session.close();
        return node.beginImport(request);
    }

    private StagedShipping shipping(ImportSession session) {
        return new StagedShipping(set, session, workDirectory, workers, control, progress);
    }

    /** Compares the store with the manifest; returns the checksums of the table. */
    private List<IndexChecksum> expected(Table table, Table built, ImportSession session) {
        List<IndexChecksum> found = readBack ? session.readBack().indexes() : session.present();
        List<IndexChecksum> named = set.manifest().sums();
        if (table.id() == built.id() || !agree(named, found)) {
            Verifier.check(table, "in the manifest", named, "in the store", found);
        }
        return found;
    }
}
