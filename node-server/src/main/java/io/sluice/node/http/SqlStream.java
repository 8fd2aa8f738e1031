package io.sluice.node.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.http.Bodies;
import io.sluice.sql.Cancellation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends results of statements as lines of JSON while the statements run. It holds one chunk of lines, and waits until
 * that is sent before it takes more: so a client that reads slowly slows its statement. One thread uses it.
 *
 * <p>A client that closes the connection, or leaves a chunk unread for too long, ends the statement.
 */
final class SqlStream implements RowSink {
    static final MediaType LINES = MediaType.parse("application/x-ndjson");

    private static final int CHUNK_BYTES = 64 << 10;

    private final HttpResponseWriter out = HttpResponse.streaming();
    private final ServiceRequestContext ctx;
    private final Duration timeout;
    private final long stallMillis;
    private final Cancellation request;
    private final ByteArrayOutputStream chunk = new ByteArrayOutputStream(CHUNK_BYTES);

    /**
     * Begins the response.
     *
     * @param timeout maximum time between two chunks
     * @param stallMillis maximum time for which the client may leave a chunk unread
     * @param request ended if the client is gone
     */
    SqlStream(ServiceRequestContext ctx, Duration timeout, long stallMillis, Cancellation request) {
        this.ctx = ctx;
        this.timeout = timeout;
        this.stallMillis = stallMillis;
        this.request = request;
        var unused = out.whenComplete().exceptionally(gone -> {
            request.cancel();
            return null;
        });
        out.write(ResponseHeaders.builder(HttpStatus.OK).contentType(LINES).build());
    }

    HttpResponse response() {
        return out;
    }

    @Override
    public void columns(List<String> names) {
        line(Map.of("columns", names));
    }

    @Override
    public void row(List<@Nullable String> row) {
        line(row);
    }

    /** Adds a line. */
    void line(Object value) {
        try {
            chunk.write(Bodies.JSON.writeValueAsBytes(value));
            chunk.write('\n');
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory", e);
        }
        if (chunk.size() >= CHUNK_BYTES) {
            send();
        }
    }

    private void send() {
        ctx.setRequestTimeout(TimeoutMode.SET_FROM_NOW, timeout);
        byte[] bytes = chunk.toByteArray();
        chunk.reset();
        if (!out.tryWrite(HttpData.wrap(bytes))) {
            throw gone();
        }
        try {
            out.whenConsumed().get(stallMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw gone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw gone();
        }
    }

    private StatementException gone() {
        request.cancel();
        out.abort();
        return new StatementException(
                SqlErrorCode.FAILED, "the statement was cancelled, because its client is gone or does not read");
    }

    /** Sends the last lines and ends the response. */
    void end() {
        if (chunk.size() == 0 || out.tryWrite(HttpData.wrap(chunk.toByteArray()))) {
            out.close();
        }
    }

    /** Ends the response so that the client sees that it is not whole. */
    void fail(Throwable failure) {
        out.close(failure);
    }
}
