package io.sluice.api.wire;

import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The headers of {@code POST /v1/shuffle/{importId}/{part}}, which describe the KVs in its body. For the layout of the
 * body see {@link ShuffleBatch#kvs}.
 *
 * @param attempt number of the sender's attempt at the import
 * @param epoch epoch of the range directory that the KVs were split by
 * @param batchId idempotency key: a node takes a batch id once
 * @param indexId the index the KVs belong to
 * @param crc32c CRC-32C of the body
 * @param sum checksum of the KVs
 */
public record BatchHeaders(long attempt, long epoch, UUID batchId, int indexId, int crc32c, KvChecksum sum) {

    public static BatchHeaders of(ShuffleBatch batch, long attempt, long epoch, int crc32c) {
        return new BatchHeaders(attempt, epoch, batch.id(), batch.indexId(), crc32c, batch.sum());
    }

    /**
     * Parses the headers.
     *
     * @param headers returns a header's value by name; null if it is missing
     * @throws BadInputException for the first header that is missing or malformed
     */
    public static BatchHeaders read(UnaryOperator<@Nullable String> headers) {
        return new BatchHeaders(
                HeaderText.attempt(headers),
                HeaderText.number(headers, ApiHeaders.EPOCH),
                Wire.uuid(ApiHeaders.BATCH, HeaderText.text(headers, ApiHeaders.BATCH)),
                HeaderText.smallNumber(headers, ApiHeaders.INDEX),
                HeaderText.crc32c(headers),
                HeaderText.sum(headers));
    }

    /** Formats the headers, with the import's id, as a map by name. */
    public Map<String, String> write(UUID importId) {
        Map<String, String> headers = new LinkedHashMap<>();
        HeaderText.writeOrigin(headers, importId, attempt, epoch, indexId);
        headers.put(ApiHeaders.BATCH, batchId.toString());
        HeaderText.writeContent(headers, crc32c, sum);
        return headers;
    }

    /** Returns the described batch; the array is not copied. */
    public ShuffleBatch batch(int part, byte[] kvs, int lengthBytes) {
        return new ShuffleBatch(batchId, part, indexId, kvs, lengthBytes, sum);
    }
}
