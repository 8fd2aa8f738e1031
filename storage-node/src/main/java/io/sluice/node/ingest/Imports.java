package io.sluice.node.ingest;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.NodeStatus;
import io.sluice.node.catalog.FencingToken;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.shuffle.ShuffleSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Begins imports, finds those that can be resumed, and undoes those that were not published. Usable by several threads.
 *
 * <p>An import that can be resumed is in one of three places: in the catalog alone, until somebody asks for it after a
 * restart; here, as a {@link NodeImport}, until it is over; and, published, in the record of its table for the time of
 * a lease.
 */
public final class Imports {
    private final ImportContext context;
    private final Gate gate;
    /** By the ids of their tables. Added to in synchronized methods only, so that no import is here twice. */
    private final Map<Integer, Open> open = new ConcurrentHashMap<>();

    /** An import that this process works on. */
    private record Open(NodeImport running, Staging staging) {
        NodeSession attempt(long number) {
            return new Attempt(running, staging, number);
        }
    }

    public Imports(ImportContext context) {
        this.context = context;
        gate = new Gate(
                context.settings(), context.store(), context.compactor(), context.diskFreeBytes(), context.clock());
    }

    /** How busy the node is. */
    public NodeStatus.Load load() {
        return gate.load();
    }

    /**
     * Begins an import: a record in the catalog first, so that whatever is made afterwards is found again, then a
     * column family and a staging directory. Or goes on with the one of that id, as a new attempt.
     *
     * @throws BadInputException when the table's name or id is taken, its parent is missing, or the import of that id
     *     is another one
     */
    public synchronized NodeSession begin(ImportRequest request) {
        removeExpired();
        NodeSession resumed = request.importId() == null ? null : resume(request, request.importId());
        return resumed == null ? beginNew(request) : resumed;
    }

    private NodeSession beginNew(ImportRequest request) {
        ImportRecord begun = context.catalog().begin(request, context.clock().millis());
        try {
            context.faults().reached(FaultPoints.BEGUN);
            if (begun.ownsFamily()) {
                context.store().createFamily(begun.family());
            }
            return Objects.requireNonNull(open(begun)).attempt(1);
        } catch (RuntimeException e) {
            try {
                undo(begun);
            } catch (RuntimeException undoing) {
                e.addSuppressed(undoing);
            }
            throw e;
        }
    }

    private @Nullable NodeSession resume(ImportRequest request, UUID importId) {
        TableRecord made = context.catalog().publishedBy(importId);
        if (made != null) {
            check(importId, made.table().def().equals(request.table()));
            return session(importId);
        }
        ImportRecord running = context.catalog().importNamed(importId);
        if (running == null) {
            return null;
        }
        boolean same = running.table().def().equals(request.table()) && running.timing() == request.timing();
        check(importId, same);
        Open known = open(running);
        if (known == null) {
            return resume(request, importId);
        }
        FencingToken claim =
                context.catalog().resume(running.id(), context.clock().millis()).claim();
        context.faults().reached(FaultPoints.RESUMED);
        return known.attempt(claim == null ? 1 : claim.attempt());
    }

    /** A table id is for an import that is begun: one that goes on keeps its own, which the session tells. */
    private static void check(UUID importId, boolean same) {
        if (!same) {
            throw new BadInputException("import " + importId + " was begun with another definition of its table, "
                    + "or another timing; go on with what it was begun with, or choose another id");
        }
    }

    /** The latest attempt at an import that can be resumed; null when there is no such import. */
    public synchronized @Nullable NodeSession session(UUID importId) {
        return find(importId, null);
    }

    /** One attempt at an import that can be resumed; null when there is no such import. */
    public synchronized @Nullable NodeSession session(UUID importId, long attempt) {
        return find(importId, attempt);
    }

    private @Nullable NodeSession find(UUID importId, @Nullable Long attempt) {
        TableRecord made = context.catalog().publishedBy(importId);
        if (made != null && made.claim() != null) {
            return new PublishedImport(context, made, made.claim());
        }
        ImportRecord running = context.catalog().importNamed(importId);
        if (running == null || running.claim() == null) {
            return null;
        }
        Open known = open(running);
        return known == null
                ? find(importId, attempt)
                : known.attempt(attempt == null ? running.claim().attempt() : attempt);
    }

    /** Null when the import was published or undone since its record was read. */
    private @Nullable Open open(ImportRecord running) {
        return open.computeIfAbsent(running.id(), id -> {
            if (!context.catalog().isRunning(id)) {
                return null;
            }
            Staging staging = Staging.create(context.staging(), id, new TableKeys(running.table()), context.faults());
            return new Open(new NodeImport(context, this, running, intake(running, staging)), staging);
        });
    }

    /** In a column family that holds other tables, SSTs always enter at the end. */
    private Intake intake(ImportRecord running, Staging staging) {
        if (running.append() != null) {
            return new AppendIntake(context, gate, running, staging);
        }
        return switch (running.timing()) {
            case SHUFFLED -> new ShuffleIntake(context, gate, running, staging, ShuffleSettings.defaults());
            case ON_ARRIVAL ->
                running.ownsFamily()
                        ? new OnArrivalIntake(context, gate, running, staging)
                        : new AtEndIntake(context, gate, running, staging);
            case AT_END -> new AtEndIntake(context, gate, running, staging);
        };
    }

    /** Forgets an import that is published. */
    void over(int id) {
        open.remove(id);
    }

    /**
     * Removes every trace of an import, in the reverse order of its making; the catalog's record goes last, so that an
     * undoing that is cut off is done again. Costs the same whatever was imported: KVs in a column family of another
     * table stay there as a ghost's, which nobody reads. Until it is done, whoever asks for the import finds it as it
     * was closed, and does not open it again.
     */
    public void undo(ImportRecord running) {
        try {
            if (!finished(running)) {
                removeFiles(running);
                context.catalog().abandon(running);
            }
        } finally {
            open.remove(running.id());
        }
    }

    private void removeFiles(ImportRecord running) {
        if (running.ownsFamily()) {
            context.store().dropFamily(running.family());
        }
        context.store().landingFamilies(running.id()).forEach(context.store()::dropFamily);
        Staging.remove(context.staging(), running.id());
    }

    /** Undoes an import but for its record, and begins it anew; no other process can know of it. */
    synchronized NodeSession restart(ImportRecord running) {
        open.remove(running.id());
        removeFiles(running);
        ImportRecord anew = context.catalog().restart(running.id());
        if (anew.ownsFamily()) {
            context.store().createFamily(anew.family());
        }
        return Objects.requireNonNull(open(anew)).attempt(1);
    }

    /**
     * Publishes an import into a table that has rows, if its rows are in the tree already: there is no undoing that,
     * and all was known that publishing takes.
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

    /** Where the files of an import lie meanwhile. */
    public Path stagingOf(ImportRecord running) {
        return Staging.directory(context.staging(), running.id());
    }

    private void removeExpired() {
        long now = context.clock().millis();
        for (ImportRecord running : context.catalog().imports()) {
            FencingToken claim = running.claim();
            if (claim != null && claim.expired(now, context.leaseMillis())) {
                Open known = open.get(running.id());
                if (known == null) {
                    undo(running);
                } else {
                    known.running().close(claim.attempt());
                }
            }
        }
        context.catalog().forgetClaims(now, context.leaseMillis());
    }

    /**
     * Looks after the imports that a process which is gone had not published: those that can be resumed are made fit
     * for it, the others are undone.
     *
     * @return what became of each, in a user's words
     */
    public synchronized List<String> recover() {
        List<String> told = new ArrayList<>();
        context.catalog().forgetClaims(context.clock().millis(), context.leaseMillis());
        for (ImportRecord running : context.catalog().imports()) {
            told.add(recover(running));
        }
        return told;
    }

    private String recover(ImportRecord running) {
        FencingToken claim = running.claim();
        String table = running.table().name();
        if (running.append() != null) {
            boolean whole = AppendIntake.entered(context, running);
            undo(running);
            return whole
                    ? "finished an import into table " + table + ": all its rows are there"
                    : "removed what an unfinished import into table " + table
                            + " had left; the table is as it was before; import again";
        }
        if (claim == null) {
            undo(running);
            return "removed what an unfinished import of table " + table + " had left; import it again";
        }
        String hours = Duration.ofMillis(context.leaseMillis()).toHours() + " hours";
        if (claim.expired(context.clock().millis(), context.leaseMillis())) {
            undo(running);
            return "removed import " + claim.importId() + " of table " + table + ", which nobody had gone on with for "
                    + hours + "; import it again";
        }
        try {
            new InterruptedImport(context, running).mend();
        } catch (OperationFailedException e) {
            undo(context.catalog().running(running.id()));
            return "removed import " + claim.importId() + " of table " + table + ", which cannot be gone on with: "
                    + e.getMessage() + "; import it again";
        }
        return "kept import " + claim.importId() + " of table " + table
                + ", which is not finished; go on with it, or it is" + " removed once nobody has done so for " + hours;
    }
}
