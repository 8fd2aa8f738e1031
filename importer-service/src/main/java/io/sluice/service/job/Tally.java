package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * What a job has done, all its attempts together. None of it goes down but what is counted anew because it is done
 * anew: bytes, rows, KVs and SSTs of an import that begins over; the fraction never does.
 *
 * @param fraction how far it is, 0 to 1
 * @param bytesRead of the inputs as they are stored
 * @param bytesTotal of them, or -1 when that is not known
 * @param bytesProcessed of them, by all attempts: what was read again, because an attempt was cut off, counts again
 * @param rowsRead records, good or bad
 * @param rowsRejected bad ones
 * @param kvs that were made of rows
 * @param sstsBuilt written
 * @param sstsIngested taken by nodes
 * @param puts KVs that came as Puts
 * @param elapsedMillis while it ran
 * @param checkpointAt when nodes last noted that part of the input is done, in milliseconds since 1970; 0: never
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
    /** Of a job that was never begun. */
    public static final Tally NONE = new Tally(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final JsonMapper JSON = new JsonMapper();

    byte[] toJson() {
        try {
            return JSON.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tally that is no JSON", e);
        }
    }

    /** What was written, or null where nothing whole is. */
    static @Nullable Tally ofJson(@Nullable JsonNode json) {
        try {
            return json == null ? null : JSON.treeToValue(json, Tally.class);
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
