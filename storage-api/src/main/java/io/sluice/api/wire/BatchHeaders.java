package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.ShuffleBatch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the headers of {@code POST /v1/shuffle/{importId}/{part}} say about the KVs in its body. The body is laid out as
 * {@link ShuffleBatch#kvs} says.
 *
 * @param attempt which attempt at the import the sender is
 * @param epoch of the directory that the KVs were divided by
 * @param batchId names the delivery; a node takes it once
 * @param indexId the index the KVs belong to
 * @param crc32c of the body
 * @param sum what the KVs add up to
 */
public record BatchHeaders(long attempt, long epoch, UUID batchId, int indexId, int crc32c, KvChecksum sum) {
    /** The headers of a batch. */
    public static BatchHeaders of(ShuffleBatch batch, long attempt, long epoch, int crc32c) {
        return new BatchHeaders(attempt, epoch, batch.id(), batch.indexId(), crc32c, batch.sum());
    }

    /**
     * Reads them.
     *
     * @param headers finds a header's value by its name; null when it is not there
     * @throws BadInputException for the first that is missing or malformed
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

    /** As texts, by name; the import's id among them. */
    public Map<String, String> write(UUID importId) {
        Map<String, String> headers = new LinkedHashMap<>();
        HeaderText.writeOrigin(headers, importId, attempt, epoch, indexId);
        headers.put(ApiHeaders.BATCH, batchId.toString());
        HeaderText.writeContent(headers, crc32c, sum);
        return headers;
    }

    /** The batch they describe; the array is not copied. */
    public ShuffleBatch batch(int part, byte[] kvs, int lengthBytes) {
        return new ShuffleBatch(batchId, part, indexId, kvs, lengthBytes, sum);
    }
}
