package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a job over all its attempts. Values never decrease, with one exception: an import that starts over
 * counts bytes, rows, KVs and SSTs again. The fraction never decreases.
 *
 * @param fraction progress from 0 to 1
 * @param bytesRead bytes read of the inputs as stored
 * @param bytesTotal total bytes of the inputs as stored, or -1 if unknown
 * @param bytesProcessed input bytes read by all attempts; bytes that a resumed attempt reads again count again
 * @param rowsRead records, valid or not
 * @param rowsRejected invalid records
 * @param kvs encoded KVs
 * @param sstsBuilt SSTs written
 * @param sstsIngested SSTs that nodes have taken
 * @param puts KVs that nodes wrote as Puts
 * @param elapsedMillis running time in milliseconds
 * @param checkpointAt time of the last checkpoint on nodes, in milliseconds since 1970; 0: never
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Tally(
        double fraction,
        long bytesRead,
        long bytesTotal,
        long bytesProcessed,
        long rowsRead,
        long rowsRejected,
        long kvs,
        long sstsBuilt,
        long sstsIngested,
        long puts,
        long elapsedMillis,
        long checkpointAt) {
    /** The tally of a job that never started. */
    public static final Tally NONE = new Tally(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final JsonMapper JSON = new JsonMapper();

    byte[] toJson() {
        try {
            return JSON.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tally that is no JSON", e);
        }
    }

    /** Parses a stored tally; null if it is missing or incomplete. */
    static @Nullable Tally ofJson(@Nullable JsonNode json) {
        try {
            return json == null ? null : JSON.treeToValue(json, Tally.class);
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
