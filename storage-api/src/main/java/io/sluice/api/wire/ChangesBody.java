package io.sluice.api.wire;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table that statements have changed on a node since a time: the answer to {@code POST
 * /v1/replicas/{table}/changes}.
 *
 * @param capture id of the capture; it ends with the node's process
 * @param number number of this batch; the next request acknowledges it
 * @param more whether more keys were changed, which the next batch has
 * @param keys changed keys of the table, ascending; there may be none although there are more batches
 * @param values their present values; null for a key that is not there now
 * @param state the table on this node
 */
public record ChangesBody(
        UUID capture, long number, boolean more, List<byte[]> keys, List<byte @Nullable []> values, State state) {
    /** Whether nothing has changed since the batch before this one. */
    public boolean last() {
        return keys.isEmpty() && !more;
    }

    /**
     * A table on a node; also the answer to {@code GET /v1/replicas/{table}/state}.
     *
     * @param owner owner of the freeze, null if statements may change the table
     * @param prepared number of prepared branches that will change it
     * @param appending whether an import is adding rows to it
     * @param epoch epoch of its directory
     * @param inside names of the tables that are interleaved in it, also of those that are being imported
     */
    public record State(@Nullable String owner, int prepared, boolean appending, long epoch, List<String> inside) {}

    /**
     * The request.
     *
     * @param capture id of the capture; null: begin one
     * @param done number of the batch that was copied; 0: none
     */
    public record Request(@Nullable UUID capture, long done) {}
}
