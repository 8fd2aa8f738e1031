package io.sluice.api.wire;

import io.sluice.model.kv.KvChecksum;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Parses and formats the headers that several requests share. */
final class HeaderText {
    private HeaderText() {}

    static String text(UnaryOperator<@Nullable String> headers, String name) {
        return Wire.required(name, headers.apply(name));
    }

    static UUID importId(UnaryOperator<@Nullable String> headers) {
        return Wire.uuid(ApiHeaders.IMPORT, text(headers, ApiHeaders.IMPORT));
    }

    static long attempt(UnaryOperator<@Nullable String> headers) {
        return number(headers, ApiHeaders.ATTEMPT);
    }

    static long number(UnaryOperator<@Nullable String> headers, String name) {
        return Wire.number(name, text(headers, name));
    }

    static int smallNumber(UnaryOperator<@Nullable String> headers, String name) {
        return Wire.smallNumber(name, text(headers, name));
    }

    static byte[] key(UnaryOperator<@Nullable String> headers, String name) {
        return Wire.key(name, text(headers, name));
    }

    static int crc32c(UnaryOperator<@Nullable String> headers) {
        return Wire.hexInt(ApiHeaders.CRC32C, text(headers, ApiHeaders.CRC32C));
    }

    static KvChecksum sum(UnaryOperator<@Nullable String> headers) {
        return new KvChecksum(
                number(headers, ApiHeaders.KV_COUNT),
                number(headers, ApiHeaders.KV_BYTES),
                Wire.hexLong(ApiHeaders.KV_SUM, text(headers, ApiHeaders.KV_SUM)));
    }

    static void writeOrigin(Map<String, String> headers, UUID importId, long attempt, long epoch, int indexId) {
        headers.put(ApiHeaders.IMPORT, importId.toString());
        headers.put(ApiHeaders.ATTEMPT, Long.toString(attempt));
        headers.put(ApiHeaders.EPOCH, Long.toString(epoch));
        headers.put(ApiHeaders.INDEX, Integer.toString(indexId));
    }

    static void writeContent(Map<String, String> headers, int crc32c, KvChecksum sum) {
        headers.put(ApiHeaders.CRC32C, Wire.hex(crc32c));
        headers.put(ApiHeaders.KV_COUNT, Long.toString(sum.count()));
        headers.put(ApiHeaders.KV_BYTES, Long.toString(sum.bytes()));
        headers.put(ApiHeaders.KV_SUM, sum.digest());
    }
}
