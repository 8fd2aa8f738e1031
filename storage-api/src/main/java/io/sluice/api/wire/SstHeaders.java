package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.node.SstFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the headers of {@code PUT /v1/ssts/{uuid}} say about the SST in its body; {@code Content-Length} is its length.
 * The arrays are not copied: do not change them.
 *
 * @param importId the import it belongs to
 * @param attempt which attempt at that import the sender is
 * @param epoch of the directory that it was cut for
 * @param indexId the index its KVs belong to
 * @param smallestKey its first key
 * @param largestKey its last key
 * @param crc32c of the file
 * @param sum what its KVs add up to
 */
@SuppressWarnings("ArrayRecordComponent")
public record SstHeaders(
        UUID importId,
        long attempt,
        long epoch,
        int indexId,
        byte[] smallestKey,
        byte[] largestKey,
        int crc32c,
        KvSum sum) {
    /**
     * Checks what can be checked without the file.
     *
     * @throws BadInputException when the keys are in the wrong order
     */
    public SstHeaders {
        if (Arrays.compareUnsigned(smallestKey, largestKey) > 0) {
            throw new BadInputException(ApiHeaders.SMALLEST_KEY + " is above " + ApiHeaders.LARGEST_KEY);
        }
    }

    /** The headers of an SST. */
    public static SstHeaders of(SstFile sst, UUID importId, long attempt, long epoch, int crc32c) {
        return new SstHeaders(
                importId, attempt, epoch, sst.indexId(), sst.smallestKey(), sst.largestKey(), crc32c, sst.sum());
    }

    /**
     * Reads them.
     *
     * @param headers finds a header's value by its name; null when it is not there
     * @throws BadInputException for the first that is missing or malformed
     */
    public static SstHeaders read(UnaryOperator<@Nullable String> headers) {
        return new SstHeaders(
                HeaderText.importId(headers),
                HeaderText.attempt(headers),
                HeaderText.number(headers, ApiHeaders.EPOCH),
                HeaderText.smallNumber(headers, ApiHeaders.INDEX),
                HeaderText.key(headers, ApiHeaders.SMALLEST_KEY),
                HeaderText.key(headers, ApiHeaders.LARGEST_KEY),
                HeaderText.crc32c(headers),
                HeaderText.sum(headers));
    }

    /** As texts, by name. */
    public Map<String, String> write() {
        Map<String, String> headers = new LinkedHashMap<>();
        HeaderText.writeOrigin(headers, importId, attempt, epoch, indexId);
        headers.put(ApiHeaders.SMALLEST_KEY, Wire.hex(smallestKey));
        headers.put(ApiHeaders.LARGEST_KEY, Wire.hex(largestKey));
        HeaderText.writeContent(headers, crc32c, sum);
        return headers;
    }

    /** The SST they describe, once it lies in a file. */
    public SstFile file(UUID id, Path path, long fileBytes) {
        return new SstFile(id, path, indexId, smallestKey, largestKey, fileBytes, sum);
    }
}
