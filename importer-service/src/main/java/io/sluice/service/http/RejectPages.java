package io.sluice.service.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Reads pages of a bundle's list of rejects, which a running job may be writing. */
final class RejectPages {
    private static final String LIST = "rejects.jsonl";
    private static final String CONFLICT = "conflict";
    private static final String COLUMN = "column";
    private static final String COUNT = "count";
    /** Bytes to read per page, even if it is not full: the list may have very many rejects of the other kind. */
    private static final long MOST_BYTES = 32L << 20;

    /** Bytes of a record in a page; a longer one is edited in the bundle. */
    private static final int MOST_RECORD_BYTES = 16 << 10;

    private static final int MOST_GROUPS = 1_000;

    private static final JsonMapper JSON = new JsonMapper();

    private RejectPages() {}

    /**
     * The rejects that a page takes.
     *
     * @param conflicts whether to return rows dropped in a conflict, or malformed records
     * @param code only those with this code; null: all
     * @param column only those of this column, empty for whole records; null: all
     */
    record Filter(
            boolean conflicts,
            @Nullable String code,
            @Nullable String column) {
        boolean takes(JsonNode reject) {
            String its = reject.path("code").asText();
            return its.equals(CONFLICT) == conflicts
                    && (code == null || code.equals(its))
                    && (column == null || column.equals(reject.path(COLUMN).asText("")));
        }
    }

    /**
     * Reads a page. A reject has its whole record, if that is short.
     *
     * @param bundle directory of the bundle, which may be missing
     */
    static ObjectNode of(Path bundle, Paging paging, Filter filter) {
        ObjectNode page = JsonNodeFactory.instance.objectNode();
        ArrayNode rejects = page.putArray("rejects");
        if (!Files.exists(bundle.resolve(LIST))) {
            return page;
        }
        page.put("bundle", bundle.toAbsolutePath().toString());
        long next = read(bundle, paging.after(), reject -> {
            if (filter.takes(reject)) {
                rejects.add(withRecord(bundle, (ObjectNode) reject));
            }
            return rejects.size() < paging.size();
        });
        if (next > 0) {
            page.put("nextPageToken", Paging.token(next));
        }
        return page;
    }

    /**
     * Counts the rejects by code and column, in the order of their first ones.
     *
     * @param bundle directory of the bundle, which may be missing
     */
    static ObjectNode groups(Path bundle, Filter filter) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        Map<String, ObjectNode> groups = new LinkedHashMap<>();
        boolean[] complete = {true};
        long next = !Files.exists(bundle.resolve(LIST))
                ? 0
                : read(bundle, 0, reject -> {
                    if (filter.takes(reject)) {
                        String code = reject.path("code").asText();
                        String column = reject.path(COLUMN).asText("");
                        ObjectNode group = groups.get(code + " " + column);
                        if (group == null && groups.size() < MOST_GROUPS) {
                            group = JsonNodeFactory.instance.objectNode().put("code", code);
                            group.put(COLUMN, column).put(COUNT, 0L);
                            group.put("message", reject.path("message").asText());
                            groups.put(code + " " + column, group);
                        }
                        complete[0] &= group != null;
                        if (group != null) {
                            group.put(COUNT, group.path(COUNT).asLong() + 1);
                        }
                    }
                    return true;
                });
        json.put("complete", complete[0] && next == 0);
        json.putArray("groups").addAll(groups.values());
        return json;
    }

    /** Takes rejects; returns whether it takes another one. */
    private interface Taker {
        boolean take(JsonNode reject);
    }

    /** Passes rejects on from a position in the list; returns the position of the next one, or 0 at the end. */
    private static long read(Path bundle, long from, Taker taker) {
        try (FileChannel file = FileChannel.open(bundle.resolve(LIST), StandardOpenOption.READ)) {
            long at = Math.min(from, file.size());
            long end = Math.min(file.size(), at + MOST_BYTES);
            if (!beginsLine(file, at)) {
                throw Paging.unknownToken();
            }
            InputStream in = new BufferedInputStream(Channels.newInputStream(file.position(at)));
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            boolean more = true;
            while (more && at < end) {
                if (!readLine(in, line)) {
                    // The job is writing the line; a later request returns it.
                    return 0;
                }
                at += line.size() + 1;
                more = taker.take(JSON.readTree(line.toByteArray()));
            }
            return at < file.size() ? at : 0;
        } catch (JsonProcessingException e) {
            throw new OperationFailedException(
                    "the list of rejects is damaged: " + Reasons.withoutClasses(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new OperationFailedException("the list of rejects cannot be read: " + e.getMessage(), e);
        }
    }

    private static boolean beginsLine(FileChannel file, long at) throws IOException {
        ByteBuffer before = ByteBuffer.allocate(1);
        return at == 0 || (file.read(before, at - 1) == 1 && before.get(0) == '\n');
    }

    /** Adds the text of the record, as it is in the bundle, unless it is long or was repaired there. */
    private static ObjectNode withRecord(Path bundle, ObjectNode reject) {
        int length = reject.path("length").asInt();
        Path data = bundle.resolve(reject.path("data").asText("")).normalize();
        if (length == 0 || length > MOST_RECORD_BYTES || !bundle.equals(data.getParent())) {
            return reject;
        }
        try (FileChannel file = FileChannel.open(data, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining()
                    && file.read(bytes, reject.path("offset").asLong() + bytes.position()) >= 0) {}
            CRC32 crc = new CRC32();
            crc.update(bytes.array());
            if (!bytes.hasRemaining() && crc.getValue() == reject.path("crc32").asLong(-1)) {
                reject.put("record", new String(bytes.array(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The data file is being written, or was moved; the excerpt has to do.
        }
        return reject;
    }

    private static boolean readLine(InputStream in, ByteArrayOutputStream line) throws IOException {
        line.reset();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return true;
            }
            line.write(next);
        }
        return false;
    }
}
