package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.catalog.Checkpoints;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipts;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Recovers an interrupted, resumable import. Afterwards its column family and its directory exist, exactly the
 * acknowledged files are staged, and the record says whether an intended ingest happened. An interrupted recovery is
 * repeated from the start.
 */
final class InterruptedImport {
    private final ImportContext context;
    private final ImportRecord running;
    private final Receipts receipts;

    InterruptedImport(ImportContext context, ImportRecord running) {
        this.context = context;
        this.running = running;
        receipts = new Receipts(context.store(), running.id());
    }

    /**
     * Prepares the import for its next attempt.
     *
     * @throws OperationFailedException when acknowledged files are missing, or an undo had begun
     */
    void recover() {
        if (new Checkpoints(context.store(), running.id()).removing()) {
            throw new OperationFailedException("its removal had begun");
        }
        boolean noFamily = running.ownsFamily() && context.store().find(running.family()) == null;
        if (noFamily || Files.notExists(Staging.directory(context.staging(), running.id()))) {
            // Either its first steps were interrupted, before any client got an answer, or its undo.
            if (!receipts.empty()
                    || !new Checkpoints(context.store(), running.id()).all().isEmpty()) {
                throw new OperationFailedException("it was being removed");
            }
            Staging.remove(context.staging(), running.id());
        }
        if (noFamily) {
            context.store().createFamily(running.family());
        }
        Staging staging =
                Staging.create(context.staging(), running.id(), new TableKeys(running.table()), context.faults());
        resolveIngest();
        switch (running.timing()) {
            case AT_END, ON_ARRIVAL -> {
                Set<String> names = stagedNames(staging);
                names.add(ReplacedRows.FILE);
                staging.retain(names);
            }
            case SHUFFLED -> {
                // The shuffle intake recovers its own files, by the phase.
            }
        }
    }

    private Set<String> stagedNames(Staging staging) {
        Set<String> names = new HashSet<>();
        for (SstFile receipt : staged()) {
            checkThere(receipt, staging);
            names.add(Staging.fileName(receipt.id()));
        }
        return names;
    }

    private static void checkThere(SstFile receipt, Staging staging) {
        String found;
        try {
            long length = Files.size(staging.path(receipt.id()));
            if (length == receipt.fileBytes()) {
                return;
            }
            found = "has " + length + " bytes";
        } catch (IOException e) {
            found = "cannot be found";
        }
        throw new OperationFailedException(
                "SST " + receipt.id() + ", which was staged with " + receipt.fileBytes() + " bytes, " + found);
    }

    private List<SstFile> staged() {
        List<SstFile> staged = new ArrayList<>();
        receipts.forEach((receipt, place) -> {
            if (place == Receipts.Place.STAGED) {
                staged.add(receipt);
            }
        });
        return staged;
    }

    /**
     * Determines whether an intended ingest happened, and records it. An ingest is one atomic change of the tree:
     * either all of its files are there or none, and no compaction replaces them before the import records them.
     */
    void resolveIngest() {
        if (running.phase() != ImportPhase.INGESTING) {
            return;
        }
        ImportRecord.Progress intent = running.progress();
        List<SstFile> meant = staged().stream()
                .filter(receipt -> intent.files().contains(Staging.fileName(receipt.id())))
                .toList();
        List<LsmFile> live = context.store().family(running.family()).files();
        boolean happened = meant.stream()
                .allMatch(receipt -> LsmShape.cameSince(intent.newestBefore(), LsmShape.bounds(receipt), live));
        ImportPhase phase = happened || anyIngested() ? ImportPhase.INGESTED : ImportPhase.RECEIVING;
        WriteSet writes = happened ? receipts.receipts(meant, Receipts.Place.TREE) : new WriteSet();
        context.catalog()
                .imports()
                .advance(running.id(), new ImportRecord.Progress(phase, intent.files(), intent.newestBefore()), writes);
    }

    private boolean anyIngested() {
        boolean[] any = new boolean[1];
        receipts.forEach((receipt, place) -> any[0] |= place == Receipts.Place.TREE);
        return any[0];
    }
}
