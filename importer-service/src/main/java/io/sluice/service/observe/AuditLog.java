package io.sluice.service.observe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.model.error.OperationFailedException;
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
 * The audit log of requests that change something, whatever their response: one JSON object per line in
 * {@code audit.jsonl}. At {@value #MOST_BYTES} bytes the file replaces {@code audit.1.jsonl}. The log has no bodies,
 * tokens or source addresses. Thread-safe.
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

    /** Opens the log of a directory for appending. */
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
     * The sender of a request.
     *
     * @param request id of the request in the log and the response
     * @param client address of the client
     * @param token name of its token, or null
     */
    public record Sender(
            String request, String client, @Nullable String token) {}

    /**
     * Logs a request.
     *
     * @param by its sender
     * @param action create, pause, resume or cancel; or method and path
     * @param job id of the job, or null
     * @param status HTTP status of the response
     * @param state state of the job afterwards, or null
     */
    public synchronized void log(Sender by, String action, @Nullable String job, int status, @Nullable String state) {
        try {
            if (file.size() >= MOST_BYTES) {
                replace();
            }
            file.write(ByteBuffer.wrap(line(by, action, job, status, state)));
        } catch (IOException e) {
            // A full disk must not stop a client from cancelling the job that fills it.
            LOG.warn("the audit log cannot be written: {} of job {} by {}: {}", action, job, by, e.toString());
        }
    }

    /** Begins a new file; if it cannot, the log goes on in the one that it has. */
    private void replace() {
        Path current = directory.resolve(FILE);
        try {
            if (Files.exists(current)) {
                Files.move(current, directory.resolve(OLD), StandardCopyOption.REPLACE_EXISTING);
            }
            FileChannel next = open();
            file.close();
            file = next;
        } catch (IOException e) {
            LOG.warn("the audit log cannot be replaced: {}", e.toString());
        }
    }

    private byte[] line(Sender by, String action, @Nullable String job, int status, @Nullable String state)
            throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("at", clock.instant().toString());
            json.writeStringField("request", by.request());
            json.writeStringField("client", by.client());
            if (by.token() != null) {
                json.writeStringField("token", by.token());
            }
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
