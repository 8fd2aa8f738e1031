package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.Receipt;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.store.LiveSst;
import io.sluice.node.store.WriteSet;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What becomes of an import that was cut off and can be resumed: its column family and its directory are there, no file
 * is there that was not acknowledged, every file that was acknowledged is, and an ingest that was begun is known to
 * have happened or not. Cut off itself, this is simply done again.
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
     * Makes the import fit to be resumed.
     *
     * @throws OperationFailedException when files that were acknowledged are gone
     */
    void mend() {
        if (running.ownsFamily() && context.store().find(running.family()) == null) {
            context.store().createFamily(running.family());
        }
        Staging staging =
                Staging.create(context.staging(), running.id(), new TableKeys(running.table()), context.faults());
        switch (running.timing()) {
            case AT_END, ON_ARRIVAL -> {
                resolveIngest();
                staging.retain(stagedNames(staging));
            }
            case SHUFFLED -> {
                // What it keeps is its own.
            }
        }
    }

    private Set<String> stagedNames(Staging staging) {
        Set<String> names = new HashSet<>();
        for (Receipt receipt : staged()) {
            checkThere(receipt, staging);
            names.add(Staging.fileName(receipt.sst()));
        }
        return names;
    }

    private static void checkThere(Receipt receipt, Staging staging) {
        String found;
        try {
            long length = Files.size(staging.path(receipt.sst()));
            if (length == receipt.fileBytes()) {
                return;
            }
            found = "has " + length + " bytes";
        } catch (IOException e) {
            found = "cannot be found";
        }
        throw new OperationFailedException(
                "SST " + receipt.sst() + ", which was staged with " + receipt.fileBytes() + " bytes, " + found);
    }

    private List<Receipt> staged() {
        List<Receipt> staged = new ArrayList<>();
        receipts.forEach(receipt -> {
            if (receipt.place() == Receipt.Place.STAGED) {
                staged.add(receipt);
            }
        });
        return staged;
    }

    /**
     * Finds out whether an ingest that was intended took place, and writes that down. One ingest is one change of the
     * tree: its files are all there or none is, and nothing merges them before the import says that they are.
     */
    void resolveIngest() {
        if (running.phase() != ImportPhase.INGESTING) {
            return;
        }
        ImportRecord.Progress intent = running.progress();
        List<Receipt> meant = staged().stream()
                .filter(receipt -> intent.files().contains(Staging.fileName(receipt.sst())))
                .toList();
        List<LiveSst> live = context.store().family(running.family()).files();
        boolean happened =
                meant.stream().allMatch(receipt -> TreeFiles.cameSince(intent.newestBefore(), receipt, live));
        ImportPhase phase = happened || anyIngested() ? ImportPhase.INGESTED : ImportPhase.RECEIVING;
        WriteSet writes = happened
                ? receipts.receipts(
                        meant.stream()
                                .map(receipt -> receipt.file(context.staging()))
                                .toList(),
                        Receipt.Place.TREE)
                : new WriteSet();
        context.catalog()
                .advance(running.id(), new ImportRecord.Progress(phase, intent.files(), intent.newestBefore()), writes);
    }

    private boolean anyIngested() {
        boolean[] any = new boolean[1];
        receipts.forEach(receipt -> any[0] |= receipt.place() == Receipt.Place.TREE);
        return any[0];
    }
}
