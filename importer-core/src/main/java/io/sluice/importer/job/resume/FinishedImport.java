package io.sluice.importer.job.resume;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ImportTarget;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An import that is verified and not yet published. All nodes keep this record before the first of them publishes. A
 * process that resumes the import then publishes it on the other nodes, without reading any input.
 *
 * @param report the import's report
 * @param imported the table's checksums, per index
 * @param inputs fingerprint of the format and the inputs; null: not known
 */
public record FinishedImport(
        ImportReport report,
        List<ChecksumBody> imported,
        @Nullable String inputs) {
    private static final JsonMapper JSON = new JsonMapper();

    /** The record that an earlier attempt has left, or null. */
    public static @Nullable FinishedImport of(String table, Map<String, byte[]> notes) {
        byte[] note = notes.get(ImportSession.FINISHED);
        try {
            return note == null ? null : JSON.readValue(note, FinishedImport.class);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "import into table " + table
                            + " was finished by another version of Sluice, which must also publish it",
                    e);
        }
    }

    /** Whether the import had the inputs and the format of a fingerprint, as far as is known. */
    public boolean isOf(String fingerprint) {
        return inputs == null || inputs.equals(fingerprint);
    }

    public void note(ImportSession session) {
        try {
            session.putCheckpoint(ImportSession.FINISHED, JSON.writeValueAsBytes(this));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write an import report as JSON", e);
        }
    }

    /** Publishes the import. A node that restarted since then must first verify that its ingest is finalized. */
    public void publish(ImportSession session) {
        session.finalizeIngest();
        session.publish(ChecksumBody.toSums(imported));
    }

    /** Undoes an import unless it is finished; {@code ImportJob.abandon} has the details. */
    public static boolean abandonUnfinished(
            ImportTarget node, TableDef table, ImportSettings.Mode mode, UUID importId) {
        try (ImportSession session = node.beginImport(new ImportRequest(table, mode.timing(), importId, 0))) {
            boolean finished = session.resumed() && FinishedImport.of(table.name(), session.checkpoints()) != null;
            if (finished) {
                // Some of several nodes may have published it.
                session.detach();
            }
            return !finished;
        }
    }

    /** Publishes an import if it is finished; {@code ImportJob.publishFinished} has the details. */
    public static @Nullable ImportReport publishFinished(
            ImportTarget node, TableDef table, ImportSettings.Mode mode, UUID importId) {
        try (ImportSession session = node.beginImport(new ImportRequest(table, mode.timing(), importId, 0))) {
            if (!session.resumed()) {
                return null;
            }
            try {
                FinishedImport finished = FinishedImport.of(table.name(), session.checkpoints());
                if (finished != null) {
                    finished.publish(session);
                    return finished.report();
                }
                return null;
            } finally {
                // No effect on an import that was published.
                session.detach();
            }
        }
    }
}
