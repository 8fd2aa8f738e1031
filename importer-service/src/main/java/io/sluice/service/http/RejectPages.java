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
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads pages of a bundle's list of rejects, which a running job may be writing. */
final class RejectPages {
    private static final String LIST = "rejects.jsonl";
    private static final String CONFLICT = "conflict";
    /** Bytes to read per page, even if it is not full: the list may have very many rejects of the other kind. */
    private static final long MOST_BYTES = 32L << 20;

    private static final JsonMapper JSON = new JsonMapper();

    private RejectPages() {}

    /**
     * Reads a page.
     *
     * @param bundle directory of the bundle, which may be missing
     * @param conflicts whether to return rows dropped in a conflict, or malformed records
     */
    static ObjectNode of(Path bundle, Paging paging, boolean conflicts) {
        ObjectNode page = JsonNodeFactory.instance.objectNode();
        ArrayNode rejects = page.putArray("rejects");
        Path list = bundle.resolve(LIST);
        if (!Files.exists(list)) {
            return page;
        }
        page.put("bundle", bundle.toAbsolutePath().toString());
        try (FileChannel file = FileChannel.open(list, StandardOpenOption.READ)) {
            long at = Math.min(paging.after(), file.size());
            long end = Math.min(file.size(), at + MOST_BYTES);
            InputStream in = new BufferedInputStream(Channels.newInputStream(file.position(at)));
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (rejects.size() < paging.size() && at < end) {
                if (!readLine(in, line)) {
                    // The job is writing the line; a later request returns it.
                    return page;
                }
                at += line.size() + 1;
                JsonNode reject = JSON.readTree(line.toByteArray());
                if (reject.path("code").asText().equals(CONFLICT) == conflicts) {
                    rejects.add(reject);
                }
            }
            if (at < file.size()) {
                page.put("nextPageToken", Paging.token(at));
            }
            return page;
        } catch (JsonProcessingException e) {
            throw new OperationFailedException(
                    "the list of rejects is damaged: " + Reasons.withoutClasses(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new OperationFailedException("the list of rejects cannot be read: " + e.getMessage(), e);
        }
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
