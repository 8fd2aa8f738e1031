package io.sluice.node.ingest;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Interrupts;
import io.sluice.node.catalog.Checkpoints;
import io.sluice.node.catalog.FencingToken;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.shuffle.ShuffleSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins imports, finds those that can be resumed, and undoes those that were not published. Usable by several threads.
 *
 * <p>A resumable import is in one of three places: in the catalog alone, from a restart until a client asks for it;
 * here, as a {@link NodeImport}, until it ends; and after its publication in the record of its table, for a lease.
 */
public final class Imports {
    private static final Logger LOG = LoggerFactory.getLogger(Imports.class);

    /**
     * Milliseconds that an append is kept without a call of its client, which calls every three seconds. No statement
     * can change the table meanwhile. Long enough for a short break of the network; a restart of the node begins it
     * anew.
     */
    private static final long APPEND_LEASE_MILLIS = 60_000;

    private final ImportContext context;
    private final Gate gate;
    private final Replicas replicas;
    private final long leaseMillis;
    private final long appendLeaseMillis;
    /** Open imports by their ids. Only synchronized methods add entries, so that no import is opened twice. */
    private final Map<Integer, Open> open = new ConcurrentHashMap<>();

    /** An import that is open in this process. */
    private record Open(NodeImport running, Staging staging) {
        NodeSession attempt(long number) {
            return new Attempt(running, staging, number);
        }
    }

    /**
     * Creates the imports of a node.
     *
     * @param leaseMillis how long a resumable import is kept without a call
     */
    public Imports(ImportContext context, long leaseMillis) {
        this.context = context;
        this.leaseMillis = leaseMillis;
        appendLeaseMillis = Math.min(leaseMillis, APPEND_LEASE_MILLIS);
        gate = new Gate(context);
        replicas = new Replicas(context, gate);
    }

    /** Milliseconds for which a resumable import is kept without a call. */
    long leaseMillis(ImportRecord running) {
        return running.append() == null ? leaseMillis : appendLeaseMillis;
    }

    /** The replicas of key ranges that are copied from and to this node, under the admission of imports. */
    public Replicas replicas() {
        return replicas;
    }

    /** The node's load. */
    public NodeStatus.Load load() {
        return gate.load();
    }

    /**
     * Begins an import, or a new attempt at the import of that id. Writes the catalog's record first, so that recovery
     * finds all later traces, then creates a column family and a staging directory.
     *
     * @throws BadInputException when the table's name or id is taken, its parent is missing, or the import of that id
     *     has another definition
     */
    public synchronized NodeSession begin(ImportRequest request) {
        try {
            removeExpired();
        } catch (RuntimeException e) {
            LOG.warn("an import whose client is silent could not be removed: {}; trying again", e.getMessage());
        }
        NodeSession resumed = request.importId() == null ? null : resume(request, request.importId());
        return resumed == null ? beginNew(request) : resumed;
    }

    private NodeSession beginNew(ImportRequest request) {
        ImportRecord record = context.catalog().begin(request, context.clock().millis());
        try {
            context.faults().reached(FaultPoints.BEGUN);
            return openFirst(record);
        } catch (RuntimeException e) {
            try {
                undo(record);
            } catch (RuntimeException undoing) {
                e.addSuppressed(undoing);
            }
            throw e;
        }
    }

    /** Creates the column family and the staging directory of an import, and opens it. */
    private NodeSession openFirst(ImportRecord created) {
        if (created.ownsFamily()) {
            context.store().createFamily(created.family());
        }
        Staging unused = staging(created);
        return Objects.requireNonNull(open(created)).attempt(1);
    }

    private Staging staging(ImportRecord running) {
        return Staging.create(context.staging(), running.id(), new TableKeys(running.table()), context.faults());
    }

    private @Nullable NodeSession resume(ImportRequest request, UUID importId) {
        TableRecord published = context.catalog().publishedBy(importId);
        if (published != null) {
            check(importId, isAsked(published.table().def(), request.table()));
            return session(importId);
        }
        ImportRecord running = context.catalog().imports().named(importId);
        if (running == null) {
            return null;
        }
        boolean same = isAsked(running.table().def(), request.table())
                && running.timing() == request.timing()
                && (running.append() != null) == request.append();
        check(importId, same);
        Open known = open(running);
        if (known == null) {
            return resume(request, importId);
        }
        FencingToken claim = context.catalog()
                .imports()
                .resume(running.id(), context.clock().millis())
                .claim();
        context.faults().reached(FaultPoints.RESUMED);
        return known.attempt(claim == null ? 1 : claim.attempt());
    }

    /** Whether a table is as a request declares it; one of a build without column families has all columns in one. */
    private static boolean isAsked(TableDef kept, TableDef asked) {
        return kept.equals(asked) || kept.equals(asked.inOneFamily());
    }

    /** Checks that a resumed import has the same definition. It keeps its table id, which its session returns. */
    private static void check(UUID importId, boolean same) {
        if (!same) {
            throw new BadInputException("import " + importId + " was begun with another definition of its table, "
                    + "or in another mode, which 'auto' chooses by the input and the memory; resume it with the original"
                    + " ones, or choose another id");
        }
    }

    /** The session of the latest attempt at a resumable import; null when there is no such import. */
    public synchronized @Nullable NodeSession session(UUID importId) {
        return find(importId, null);
    }

    /** The session of one attempt at a resumable import; null when there is no such import. */
    public synchronized @Nullable NodeSession session(UUID importId, long attempt) {
        return find(importId, attempt);
    }

    private @Nullable NodeSession find(UUID importId, @Nullable Long attempt) {
        TableRecord published = context.catalog().publishedBy(importId);
        FencingToken ended = published == null ? null : published.tokenOf(importId);
        if (published != null && ended != null) {
            return new PublishedImport(context, published, ended);
        }
        ImportRecord running = context.catalog().imports().named(importId);
        if (running == null || running.claim() == null) {
            return null;
        }
        Open known = open(running);
        return known == null
                ? find(importId, attempt)
                : known.attempt(attempt == null ? running.claim().attempt() : attempt);
    }

    /**
     * Opens an import. Returns null when it was published or undone after its record was read. An undo that failed
     * before it could remove the record, by a full disk for example, goes on here.
     */
    private @Nullable Open open(ImportRecord running) {
        if (!open.containsKey(running.id()) && halfUndone(running)) {
            undo(running);
            return null;
        }
        return open.computeIfAbsent(running.id(), id -> {
            if (context.catalog().imports().find(id) == null) {
                return null;
            }
            Staging staging = staging(running);
            AppendIntake append = running.append() == null ? null : new AppendIntake(context, gate, running, staging);
            Intake intake = append == null ? intake(running, staging) : append;
            return new Open(new NodeImport(context, this, running, intake, append), staging);
        });
    }

    private boolean halfUndone(ImportRecord running) {
        return (running.ownsFamily() && context.store().find(running.family()) == null)
                || Files.notExists(stagingOf(running))
                || new Checkpoints(context.store(), running.id()).removing();
    }

    /** The intake for an import of a new table. In a shared column family, SSTs always enter at the end. */
    private Intake intake(ImportRecord running, Staging staging) {
        return switch (running.timing()) {
            case SHUFFLED -> new ShuffleIntake(context, gate, running, staging, ShuffleSettings.defaults());
            case ON_ARRIVAL ->
                running.ownsFamily()
                        ? new OnArrivalIntake(context, gate, running, staging)
                        : new AtEndIntake(context, gate, running, staging);
            case AT_END -> new AtEndIntake(context, gate, running, staging);
        };
    }

    /** Removes a published import from the open ones. */
    void removeOpen(int id) {
        open.remove(id);
    }

    /**
     * Removes all traces of an import, in reverse order of creation. The catalog's record goes last, so that recovery
     * repeats an interrupted undo. The cost does not depend on the size of the import: KVs in a shared column family
     * stay there under an orphaned table id, and are never read. Until the undo ends, clients find the import closed,
     * and cannot open it again.
     */
    public void undo(ImportRecord running) {
        // A begin that a client's cancel has interrupted is undone, too; channels to files close in such a thread.
        Interrupts.postpone(() -> {
            try {
                if (!finished(running)) {
                    if (running.claim() != null) {
                        new Checkpoints(context.store(), running.id()).addRemoval();
                        context.faults().reached(FaultPoints.REMOVING);
                    }
                    removeFiles(running);
                    context.faults().reached(FaultPoints.REMOVED);
                    context.catalog().abandon(running);
                }
                context.compactor().resume(running.family(), running.id());
            } finally {
                open.remove(running.id());
            }
        });
    }

    private void removeFiles(ImportRecord running) {
        if (running.ownsFamily()) {
            context.store().dropFamily(running.family());
        }
        context.store().smallSstFamilies(running.id()).forEach(context.store()::dropFamily);
        Staging.remove(context.staging(), running.id());
    }

    /** Undoes an import except its record, and restarts it. Only for imports that other processes cannot resume. */
    synchronized NodeSession restart(ImportRecord running) {
        open.remove(running.id());
        removeFiles(running);
        ImportRecord restarted = context.catalog().imports().restart(running.id());
        return openFirst(restarted);
    }

    /**
     * Publishes an import into an existing table if its rows are in the tree already: that cannot be undone, and the
     * record has everything that publishing needs.
     */
    private boolean finished(ImportRecord running) {
        ImportRecord.Appending append = running.append();
        if (append == null || !AppendIntake.entered(context, running)) {
            return false;
        }
        context.catalog().publish(running.id(), append.after(), context.clock().millis());
        Staging.remove(context.staging(), running.id());
        return true;
    }

    /** The staging directory of an import. */
    public Path stagingOf(ImportRecord running) {
        return Staging.directory(context.staging(), running.id());
    }

    /**
     * Applies a change of the nodes that take part in an import. If this node does not any more, it undoes what it has
     * of the import, so that no later client finds it here. May be repeated: table ids are never reused.
     *
     * @param directory its addresses are those of the nodes that take part
     * @return what was done, for the log; null: nothing
     */
    public synchronized @Nullable String moved(UUID importId, int tableId, RangeDirectory directory) {
        ImportRecord running = context.catalog().imports().named(importId);
        // A later attempt from the beginning has a greater id.
        if (running == null || running.id() > tableId) {
            return null;
        }
        if (directory.addresses().containsKey(context.catalog().nodeId())) {
            if (running.id() == tableId) {
                context.catalog().imports().move(tableId, directory);
            }
            return null;
        }
        // It has a smaller id if the client did not hear that it was begun here, and the nodes agreed on another one.
        end(running);
        return "removed import " + importId + " of table " + running.table().name()
                + ", which goes on without this node";
    }

    /**
     * Publishes an import by a decision that cannot be refused, whichever attempt is the latest. No effect if there is
     * no such import here: it may be published already.
     *
     * @return what was done, for the log; null: nothing
     */
    public @Nullable String publishDecided(UUID importId, int tableId, List<IndexChecksum> sums) {
        Open known = openNamed(importId, tableId);
        return known != null && known.running().publishDecided(sums)
                ? "published table " + known.running().table().name() + ", as the cluster has decided"
                : null;
    }

    private synchronized @Nullable Open openNamed(UUID importId, int tableId) {
        ImportRecord running = context.catalog().imports().named(importId);
        if (running == null || running.table().id() != tableId) {
            return null;
        }
        // One that is not prepared lacks something; its client has given up.
        boolean ready = running.append() == null || running.append().owner() != null;
        return ready ? open(running) : null;
    }

    /** Undoes the import of a new table with this id, unless it is that of {@code publisher}. */
    public synchronized void removeUnpublishable(int tableId, UUID publisher) {
        ImportRecord running = context.catalog().imports().find(tableId);
        if (running != null && running.append() == null && !publisher.equals(running.importId())) {
            end(running);
        }
    }

    private void end(ImportRecord running) {
        Open known = open.get(running.id());
        if (known == null) {
            undo(running);
        } else {
            known.running().close(known.running().latestAttempt());
        }
    }

    /**
     * Undoes the import of a table that was dropped, and imports of tables that are interleaved in it. May be repeated:
     * table ids are never reused.
     *
     * @return what was done, for the log; null: nothing
     */
    public synchronized @Nullable String dropped(int tableId, String name) {
        List<String> undone = new ArrayList<>();
        for (ImportRecord running : context.catalog().imports().within(tableId, name)) {
            end(running);
            undone.add(running.table().name());
        }
        return undone.isEmpty()
                ? null
                : "table " + name + " was dropped: removed the import of " + String.join(", ", undone);
    }

    /**
     * Undoes the imports that no client has called for a lease.
     *
     * @throws RuntimeException if one cannot be undone; the others are removed all the same
     */
    public synchronized void removeExpired() {
        long now = context.clock().millis();
        RuntimeException failure = null;
        for (ImportRecord running : context.catalog().imports().all()) {
            FencingToken claim = running.claim();
            if (claim != null
                    && claim.expired(now, leaseMillis(running))
                    && !context.catalog().awaitsDecision(running)) {
                try {
                    end(running);
                } catch (RuntimeException e) {
                    failure = e;
                }
            }
        }
        context.catalog().forgetPublishedImports(now, leaseMillis);
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Recovers the imports that an earlier process had not published: prepares resumable ones for their next attempt,
     * and undoes the others.
     *
     * @return the outcome of each, for the user
     */
    public synchronized List<String> recover() {
        List<String> report = new ArrayList<>();
        context.catalog().forgetPublishedImports(context.clock().millis(), leaseMillis);
        for (ImportRecord running : context.catalog().imports().all()) {
            report.add(recover(running));
        }
        return report;
    }

    /** Keeps an append whose client may be waiting for the node. */
    private String recoverAppend(ImportRecord running) {
        FencingToken claim = running.claim();
        String table = running.table().name();
        String left = "";
        if (AppendIntake.entered(context, running)) {
            undo(running);
            return "finished an import into table " + table + ": all its rows are there";
        }
        if (claim != null) {
            try {
                new InterruptedImport(context, running).recover();
                // The client could not call the node that was down.
                ImportRecord unused = context.catalog()
                        .imports()
                        .touch(running.id(), context.clock().millis());
                return "kept import " + claim.importId() + ", which adds rows to table " + table
                        + "; it is removed if its client does not go on within "
                        + Duration.ofMillis(appendLeaseMillis).toSeconds() + " seconds";
            } catch (OperationFailedException e) {
                left = " (" + e.getMessage() + ")";
            }
        }
        undo(context.catalog().imports().require(running.id()));
        return "removed what an unfinished import into table " + table + " had left" + left
                + "; the table is as it was before; import again";
    }

    /**
     * Whether an entry of the cluster's log may have published an import while this node was down. Its client may have
     * written one since all nodes had the record that it is finished.
     */
    private boolean mayBePublished(ImportRecord running) {
        return !running.directory().ranges().isEmpty()
                && new Checkpoints(context.store(), running.id()).all().containsKey(ImportSession.FINISHED);
    }

    private String recover(ImportRecord running) {
        FencingToken claim = running.claim();
        String table = running.table().name();
        if (running.append() != null) {
            return recoverAppend(running);
        }
        if (claim == null) {
            undo(running);
            return "removed what an unfinished import of table " + table + " had left; import it again";
        }
        String hours = Duration.ofMillis(leaseMillis).toHours() + " hours";
        long now = context.clock().millis();
        if (claim.expired(now, leaseMillis) && mayBePublished(running)) {
            ImportRecord unused = context.catalog().imports().touch(running.id(), now);
        } else if (claim.expired(now, leaseMillis)) {
            undo(running);
            return "removed import " + claim.importId() + " of table " + table + ", which no client had resumed for "
                    + hours + "; import it again";
        }
        try {
            new InterruptedImport(context, running).recover();
        } catch (OperationFailedException e) {
            undo(context.catalog().imports().require(running.id()));
            return "removed import " + claim.importId() + " of table " + table + ", which cannot be resumed: "
                    + e.getMessage() + "; import it again";
        }
        return "kept import " + claim.importId() + " of table " + table + ", which is not finished; resume it within "
                + hours + ", or it is removed";
    }
}
