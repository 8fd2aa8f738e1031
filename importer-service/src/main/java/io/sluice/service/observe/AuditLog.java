package io.sluice.service.observe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.api.error.OperationFailedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who asked for what: a JSON object per line in {@code audit.jsonl}, for every request that changes something, whatever
 * its answer. When the file has {@value #MOST_BYTES} bytes it becomes {@code audit.1.jsonl}, in place of the one
 * before. Holds no bodies, tokens or addresses of sources. Used by many threads.
 */
public final class AuditLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final JsonFactory JSON = new JsonFactory();
    private static final String FILE = "audit.jsonl";
    private static final String OLD = "audit.1.jsonl";
    static final long MOST_BYTES = 16L << 20;

    private final Path directory;
    private final Clock clock;
    private FileChannel file;

    /** Goes on with the log of a directory. */
    public AuditLog(Path directory, Clock clock) {
        this.directory = directory;
        this.clock = clock;
        try {
            file = open();
        } catch (IOException e) {
            throw new OperationFailedException(directory.resolve(FILE) + " cannot be written: " + e.getMessage(), e);
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /**
     * Notes a request.
     *
     * @param request its id, as the log and the answer have it
     * @param client the address that it came from
     * @param action create, pause, resume or cancel
     * @param job what it was about, or null
     * @param status of the answer
     * @param state of the job behind it, or null
     */
    public synchronized void note(
            String request, String client, String action, @Nullable String job, int status, @Nullable String state) {
        try {
            if (file.size() >= MOST_BYTES) {
                file.close();
                Files.move(directory.resolve(FILE), directory.resolve(OLD), StandardCopyOption.REPLACE_EXISTING);
                file = open();
            }
            file.write(ByteBuffer.wrap(line(request, client, action, job, status, state)));
        } catch (IOException e) {
            // A full disk must not keep anybody from cancelling what fills it.
            LOG.warn("the audit log cannot be written: {} of job {} by {}: {}", action, job, client, e.toString());
        }
    }

    private byte[] line(
            String request, String client, String action, @Nullable String job, int status, @Nullable String state)
            throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("at", clock.instant().toString());
            json.writeStringField("request", request);
            json.writeStringField("client", client);
            json.writeStringField("action", action);
            if (job != null) {
                json.writeStringField("job", job);
            }
            json.writeNumberField("status", status);
            if (state != null) {
                json.writeStringField("state", state);
            }
            json.writeEndObject();
        }
        line.write('\n');
        return line.toByteArray();
    }

    @Override
    public synchronized void close() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("the audit log cannot be closed: {}", e.toString());
        }
    }
}
