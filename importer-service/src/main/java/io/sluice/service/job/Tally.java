package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a job over all its attempts. Values never decrease, with one exception: an import that starts over
 * counts bytes, rows, KVs and SSTs again. The fraction never decreases.
 *
 * @param fraction progress from 0 to 1
 * @param bytes bytes of the inputs
 * @param rows records of the inputs
 * @param kvs encoded KVs
 * @param store what went to the nodes
 * @param elapsedMillis running time in milliseconds
 * @param checkpointAt time of the last checkpoint on nodes, in milliseconds since 1970; 0: never
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Tally(
        double fraction,
        @JsonUnwrapped Bytes bytes,
        @JsonUnwrapped Rows rows,
        long kvs,
        @JsonUnwrapped Store store,
        long elapsedMillis,
        long checkpointAt) {
    /**
     * Bytes of the inputs as stored.
     *
     * @param read bytes read
     * @param total total bytes, or -1 if unknown
     * @param processed bytes read by all attempts; bytes that a resumed attempt reads again count again
     */
    public record Bytes(
            @JsonProperty("bytesRead") long read,
            @JsonProperty("bytesTotal") long total,
            @JsonProperty("bytesProcessed") long processed) {}

    /**
     * Records of the inputs.
     *
     * @param read records, valid or not
     * @param rejected invalid records
     */
    public record Rows(
            @JsonProperty("rowsRead") long read,
            @JsonProperty("rowsRejected") long rejected) {}

    /**
     * SSTs and KVs on the nodes.
     *
     * @param sstsBuilt SSTs written
     * @param sstsIngested SSTs that nodes have taken
     * @param puts KVs that nodes wrote as Puts
     */
    public record Store(long sstsBuilt, long sstsIngested, long puts) {}

    /** The tally of a job that never started. */
    public static final Tally NONE = new Tally(0, new Bytes(0, -1, 0), new Rows(0, 0), 0, new Store(0, 0, 0), 0, 0);

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
