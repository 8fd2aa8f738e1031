package io.sluice.importer.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.wire.ChecksumBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An import of which nothing is left to do but to publish it. It is noted on all nodes before the first of them
 * publishes: whoever resumes the import after that publishes on the others, without reading any input.
 *
 * @param report of the import
 * @param imported what the table adds up to, per index
 */
record FinishedImport(ImportReport report, List<ChecksumBody> imported) {
    private static final JsonMapper JSON = new JsonMapper();

    /** What notes say that an earlier attempt has noted, or null. */
    static @Nullable FinishedImport of(String table, Map<String, byte[]> notes) {
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

    void note(ImportSession session) {
        try {
            session.putCheckpoint(ImportSession.FINISHED, JSON.writeValueAsBytes(this));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a report that is no JSON", e);
        }
    }

    /** Publishes it. A node that was restarted since must first see for itself that nothing is left to settle. */
    void publish(ImportSession session) {
        session.finalizeIngest();
        session.publish(ChecksumBody.toSums(imported));
    }
}
