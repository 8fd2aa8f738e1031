package io.sluice.importer.job;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.api.schema.TableDef;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.source.InputFile;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What ties an attempt at an import to those before it: whether it can be gone on with, what nodes and bundle know of
 * it, what is left to do.
 *
 * @param importId names the import for nodes; null: it cannot be resumed
 */
record Resumption(
        TableDef table,
        List<InputFile> inputs,
        ImportSettings settings,
        @Nullable UUID importId,
        ImportEvents events) {
    /** Some 350 bytes each, for what it is and how far it was read: 35 MB of the 64 that a node keeps. */
    private static final int MOST_INPUTS = InputPositions.MOST_INPUTS;

    /** More would say no more. */
    private static final int WARNINGS = 10;

    /** Noted by an attempt that cannot be gone on with, before it ships anything. */
    private static final String BEGINS_OVER = "begins-over";

    /**
     * Whether what an attempt at the import did is done for good. Runs of mode merge end with their process, what can
     * be read but once cannot be gone on with, and where rows give way to others the whole input decides which. Of very
     * many inputs the notes would be too long.
     */
    boolean keepsWatermarks() {
        return importId != null
                && !settings.append()
                && settings.onConflict() == ConflictPolicy.ERROR
                && settings.mode() != ImportSettings.Mode.MERGE
                && inputs.size() <= MOST_INPUTS
                && inputs.stream().allMatch(InputFile::repeatable);
    }

    /** Inputs whose versions nobody can tell apart: an import that is cut off reads them anew from their beginning. */
    List<String> warnings() {
        return importId == null
                ? List.of()
                : inputs.stream()
                        .filter(input -> input.origin().remote() && !input.repeatable())
                        .limit(WARNINGS)
                        .map(input -> input.name() + ": the server names neither a strong ETag nor Last-Modified, so"
                                + " that nobody can tell whether the file is still the same; when the import is cut"
                                + " off or paused, it begins over")
                        .toList();
    }

    /** The import in the words that those before it are held to; null when it cannot be gone on with. */
    @Nullable
    JobDescription description() {
        return keepsWatermarks() ? JobDescription.of(settings, inputs) : null;
    }

    /**
     * An import that was begun.
     *
     * @param notes what earlier attempts have noted; they may be many, and are asked for once
     */
    record Begun(ImportSession session, Map<String, byte[]> notes) {}

    /** Begins the import, or goes on with what an earlier attempt at it has left, if that can be gone on with. */
    Begun begin(NodeClient node) {
        if (settings.append()) {
            return new Begun(node.beginImport(ImportRequest.append(table)), Map.of());
        }
        ImportRequest request = new ImportRequest(table, Delivery.timing(settings.mode()), importId, 0);
        ImportSession session = node.beginImport(request);
        if (!session.resumed()) {
            return new Begun(session, Map.of());
        }
        Map<String, byte[]> notes = keepingPast(session, session::checkpoints);
        if (FinishedImport.of(table.name(), notes) != null || isUntouched(notes) || goesOn(notes)) {
            return new Begun(session, notes);
        }
        session.close();
        return new Begun(node.beginImport(request), Map.of());
    }

    private boolean goesOn(Map<String, byte[]> notes) {
        return keepsWatermarks() && JobDescription.isNoted(notes);
    }

    /**
     * Whether nothing was shipped: what is shipped first is a word on what becomes of it. Such an import is not undone,
     * or its table would have another id, and a digest that no other attempt has.
     */
    private static boolean isUntouched(Map<String, byte[]> notes) {
        return !JobDescription.isNoted(notes) && !notes.containsKey(BEGINS_OVER);
    }

    /** What earlier attempts have done; the first one describes itself for those that may follow. */
    PastWork past(ImportSession session, Map<String, byte[]> notes, @Nullable JobDescription description) {
        if (description == null) {
            if (importId != null && !settings.append()) {
                session.putCheckpoint(BEGINS_OVER, new byte[] {1});
            }
            return PastWork.none(session.table());
        }
        if (isUntouched(notes)) {
            events.reached(ImportEvents.BEGUN);
            description.note(session);
            events.reached(ImportEvents.DESCRIBED);
            return PastWork.none(session.table());
        }
        description.check(notes);
        return PastWork.of(session.table(), notes);
    }

    /** Prepares to go on. If that fails, what was done before stays, for whoever comes with what is right. */
    static <T> T keepingPast(ImportSession session, Supplier<T> preparation) {
        try {
            return preparation.get();
        } catch (RuntimeException e) {
            if (session.resumed()) {
                session.detach();
            }
            throw e;
        }
    }

    /** What a bundle must know of the import to go on with it; null when it cannot. */
    @Nullable
    BundleJob bundleJob(PastWork past) {
        UUID id = keepsWatermarks() ? importId : null;
        return id == null ? null : new BundleJob(id, inputs, past.spans(), past.rejects());
    }
}
