package io.sluice.importer.job.resume;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ImportTarget;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.bundle.BundleWriter;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.InputPositions;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Links an attempt at an import to earlier ones: whether it can resume them, what nodes and the bundle have of them,
 * and what is left to do.
 *
 * @param importId id of the import on the nodes; null: it cannot be resumed
 * @param name the id as the user gave it, for messages
 */
public record Resumption(
        TableDef table,
        List<InputFile> inputs,
        ImportSettings settings,
        @Nullable UUID importId,
        @Nullable String name,
        ImportEvents events) {
    /**
     * Most inputs of a resumable import. Each takes some 350 bytes of records for its description and progress: 35 of
     * the 64 MB that a node keeps.
     */
    private static final int MOST_INPUTS = InputPositions.MOST_INPUTS;

    /** Most warnings. */
    private static final int WARNINGS = 10;

    /** Key of the record by which an attempt that cannot be resumed marks itself before it ships anything. */
    private static final String BEGINS_OVER = "begins-over";

    /**
     * Whether an attempt writes checkpoint records, so that a later one can resume it. It does not in mode merge, whose
     * runs end with their process; with inputs that can be read only once; under a conflict policy, which needs the
     * whole input to decide; and with very many inputs, whose records would be too long.
     */
    public boolean keepsCheckpoints() {
        return importId != null
                && !settings.append()
                && settings.onConflict() == ConflictPolicy.ERROR
                && settings.mode() != ImportSettings.Mode.MERGE
                && inputs.size() <= MOST_INPUTS
                && inputs.stream().allMatch(InputFile::repeatable);
    }

    /**
     * Warnings about inputs whose versions cannot be told apart; an interrupted import reads them again from the
     * beginning.
     */
    public List<String> warnings() {
        return importId == null
                ? List.of()
                : inputs.stream()
                        .filter(input -> input.origin().remote() && !input.repeatable())
                        .limit(WARNINGS)
                        .map(input -> input.name() + ": the server names neither a strong ETag nor Last-Modified, so"
                                + " that Sluice cannot tell whether the file is still the same; if the import is"
                                + " interrupted or paused, it starts over")
                        .toList();
    }

    /** The description that a resumed attempt must match; null if the import cannot be resumed. */
    public @Nullable JobDescription description() {
        return keepsCheckpoints() ? JobDescription.of(settings, inputs) : null;
    }

    /**
     * An open session with the nodes.
     *
     * @param notes checkpoint records of earlier attempts; fetched once, since they may be many
     */
    public record Opened(ImportSession session, Map<String, byte[]> notes) {}

    /** Fingerprint of the format and the inputs, by name, length and version; call it when all have been opened. */
    public String fingerprint() {
        StringBuilder text = new StringBuilder(settings.format().toString());
        for (InputFile input : inputs) {
            text.append('\0')
                    .append(input.name())
                    .append('\0')
                    .append(input.sizeBytes())
                    .append('\0')
                    .append(input.encoding());
            if (input.repeatable()) {
                text.append('\0').append(input.version());
            }
        }
        return HexFormat.of()
                .formatHex(Fingerprint.sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /** Resumes an earlier attempt, or begins the import if no attempt can be resumed. */
    public Opened open(ImportTarget node) {
        if (settings.append()) {
            return new Opened(node.beginImport(ImportRequest.append(table)), Map.of());
        }
        ImportRequest request = new ImportRequest(table, settings.mode().timing(), importId, 0);
        ImportSession session = node.beginImport(request);
        if (!session.resumed()) {
            return new Opened(session, Map.of());
        }
        Map<String, byte[]> notes = detachOnFailure(session, session::checkpoints);
        boolean resumable = canResume(notes) && !detachOnFailure(session, () -> lacksRejects(session.table(), notes));
        if (FinishedImport.of(table.name(), notes) != null || isUntouched(notes) || resumable) {
            return new Opened(session, notes);
        }
        session.close();
        return new Opened(node.beginImport(request), Map.of());
    }

    private boolean canResume(Map<String, byte[]> notes) {
        return keepsCheckpoints() && JobDescription.isNoted(notes);
    }

    /**
     * Whether rejects of earlier attempts are with another import service, which is perhaps lost. Attempts of this
     * service before those of the other one may have left a bundle here.
     */
    private boolean lacksRejects(Table imported, Map<String, byte[]> notes) {
        BundleSettings bundle = settings.rejects().bundle();
        if (bundle == null || bundle.choice() != BundleSettings.Choice.SERVICE) {
            return false;
        }
        BundleJob job = bundleJob(PastWork.of(imported, notes));
        return job != null && job.rejects() > 0 && !BundleWriter.holdsAll(bundle, settings.format(), job);
    }

    /**
     * Whether nothing was shipped: an attempt writes one of the two records before it ships anything. Such an import is
     * not undone; otherwise its table would get another id and so another digest.
     */
    private static boolean isUntouched(Map<String, byte[]> notes) {
        return !JobDescription.isNoted(notes) && !notes.containsKey(BEGINS_OVER);
    }

    /** Reads the work of earlier attempts; the first attempt writes its description. */
    public PastWork past(ImportSession session, Map<String, byte[]> notes, @Nullable JobDescription description) {
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

    /**
     * Runs a preparation. If it fails, a resumed import is detached and keeps its work, so that a corrected command can
     * resume it.
     */
    public static <T> T detachOnFailure(ImportSession session, Supplier<T> preparation) {
        try {
            return preparation.get();
        } catch (RuntimeException e) {
            if (session.resumed()) {
                session.detach();
            }
            throw e;
        }
    }

    /** The import's data for a bundle that later attempts continue; null if the import cannot be resumed. */
    public @Nullable BundleJob bundleJob(PastWork past) {
        UUID id = keepsCheckpoints() ? importId : null;
        return id == null ? null : new BundleJob(id, inputs, past.spans(), past.rejects());
    }
}
