package io.sluice.api.wire;

import io.sluice.api.node.SampledKeys;
import io.sluice.api.node.SstFile;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The headers of {@code PUT /v1/ssts/{uuid}}, which describe the SST in its body; {@code Content-Length} is its length.
 *
 * @param importId id of the SST's import
 * @param attempt number of the sender's attempt at the import
 * @param epoch epoch of the range directory that the SST was cut for
 * @param crc32c CRC-32C of the file
 * @param sst description of the SST; its id, path and length are not part of the headers
 */
public record SstHeaders(UUID importId, long attempt, long epoch, int crc32c, SstFile sst) {
    private static final UUID NO_ID = new UUID(0, 0);

    /**
     * Validates the headers without the file.
     *
     * @throws BadInputException if the keys are in the wrong order
     */
    public SstHeaders {
        if (Arrays.compareUnsigned(sst.smallestKey(), sst.largestKey()) > 0) {
            throw new BadInputException(ApiHeaders.SMALLEST_KEY + " is above " + ApiHeaders.LARGEST_KEY);
        }
    }

    public static SstHeaders of(SstFile sst, UUID importId, long attempt, long epoch, int crc32c) {
        return new SstHeaders(importId, attempt, epoch, crc32c, sst);
    }

    /**
     * Parses the headers.
     *
     * @param headers returns a header's value by name; null if it is missing
     * @throws BadInputException for the first header that is missing or malformed
     */
    public static SstHeaders read(UnaryOperator<@Nullable String> headers) {
        return new SstHeaders(
                HeaderText.importId(headers),
                HeaderText.attempt(headers),
                HeaderText.number(headers, ApiHeaders.EPOCH),
                HeaderText.crc32c(headers),
                new SstFile(
                        NO_ID,
                        Path.of(""),
                        HeaderText.smallNumber(headers, ApiHeaders.INDEX),
                        HeaderText.key(headers, ApiHeaders.SMALLEST_KEY),
                        HeaderText.key(headers, ApiHeaders.LARGEST_KEY),
                        0,
                        HeaderText.sum(headers),
                        samples(headers.apply(ApiHeaders.SAMPLED_KEYS))));
    }

    /** The length of an SST that the node reads itself. */
    public static long sourceBytes(UnaryOperator<@Nullable String> headers) {
        return HeaderText.number(headers, ApiHeaders.SOURCE_BYTES);
    }

    private static List<byte[]> samples(@Nullable String text) {
        if (text == null) {
            return List.of();
        }
        List<byte[]> keys = Arrays.stream(text.split(",", -1))
                .limit(SampledKeys.MOST_KEYS + 1L)
                .map(each -> Wire.key(ApiHeaders.SAMPLED_KEYS, each))
                .toList();
        if (keys.size() > SampledKeys.MOST_KEYS) {
            throw new BadInputException(
                    ApiHeaders.SAMPLED_KEYS + ": more than " + SampledKeys.MOST_KEYS + " keys; send fewer");
        }
        return keys;
    }

    /** Formats the headers as a map by name. */
    public Map<String, String> write() {
        Map<String, String> headers = new LinkedHashMap<>();
        HeaderText.writeOrigin(headers, importId, attempt, epoch, sst.indexId());
        headers.put(ApiHeaders.SMALLEST_KEY, Wire.hex(sst.smallestKey()));
        headers.put(ApiHeaders.LARGEST_KEY, Wire.hex(sst.largestKey()));
        HeaderText.writeContent(headers, crc32c, sst.sum());
        if (!sst.samples().isEmpty()) {
            headers.put(
                    ApiHeaders.SAMPLED_KEYS,
                    sst.samples().stream().map(Wire::hex).collect(Collectors.joining(",")));
        }
        return headers;
    }

    /** Returns the described SST, stored in a file. */
    public SstFile file(UUID id, Path path, long fileBytes) {
        return new SstFile(
                id, path, sst.indexId(), sst.smallestKey(), sst.largestKey(), fileBytes, sst.sum(), sst.samples());
    }
}
