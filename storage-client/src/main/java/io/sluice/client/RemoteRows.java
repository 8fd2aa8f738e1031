package io.sluice.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.SplitHttpResponse;
import io.sluice.api.node.RowCursor;
import io.sluice.model.error.OperationFailedException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads rows from a node, one JSON array per line. Backpressure keeps unread rows at the node. */
final class RemoteRows implements RowCursor {
    private static final TypeReference<List<@Nullable String>> ROW = new TypeReference<>() {};
    private static final int OK = 200;
    /** Longest line: imported rows have 4 MiB at most, and escaping makes them up to six times as long. */
    private static final int MAX_LINE_BYTES = 32 << 20;

    /** Largest error answer; it usually has a line or two. */
    private static final int MAX_ERROR_BYTES = 1 << 20;

    private final Link link;
    private final HttpResponse response;
    private final InputStream body;
    private boolean ended;

    private RemoteRows(Link link, HttpResponse response, InputStream body) {
        this.link = link;
        this.response = response;
        this.body = body;
    }

    /**
     * Waits for the answer's status and opens the rows.
     *
     * @throws io.sluice.model.error.NodeUnreachableException when the node does not answer
     */
    static RemoteRows of(Link link, HttpResponse response) {
        return new RemoteRows(link, response, body(link, response));
    }

    /**
     * Opens the body of a streamed answer. Reading throws an {@code IOException} when the answer ends early.
     *
     * @throws io.sluice.model.error.NodeUnreachableException when the node does not answer
     */
    static InputStream body(Link link, HttpResponse response) {
        Answer answer = answer(link, response);
        if (answer.refusal() != null) {
            throw answer.refusal().failure();
        }
        return answer.body();
    }

    /**
     * A streamed answer.
     *
     * @param body its body, if it has been taken
     * @param refusal the whole answer, if it is not one of success
     */
    record Answer(InputStream body, @Nullable Reply refusal) {}

    /**
     * Waits for the status of a streamed answer.
     *
     * @throws io.sluice.model.error.NodeUnreachableException when the node does not answer
     */
    static Answer answer(Link link, HttpResponse response) {
        SplitHttpResponse split = response.split();
        InputStream body = new BufferedInputStream(split.body().toInputStream(), 64 << 10);
        try {
            int status = split.headers().get().status().code();
            Reply refusal =
                    status == OK ? null : new Reply(link.settings(), status, -1, body.readNBytes(MAX_ERROR_BYTES));
            return new Answer(body, refusal);
        } catch (ExecutionException e) {
            RuntimeException failure = link.noAnswer(e);
            throw failure instanceof Link.NoAnswer none ? link.unreachable(none) : failure;
        } catch (IOException e) {
            throw link.unreachable(new Link.NoAnswer(e));
        } catch (InterruptedException e) {
            response.abort();
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while node " + link.node() + " was read from", e);
        }
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        if (ended) {
            return null;
        }
        try {
            byte[] line = line(body);
            if (line.length == 0) {
                ended = true;
                return null;
            }
            return Reply.JSON.readValue(line, ROW);
        } catch (IOException e) {
            throw link.unreachable(new Link.NoAnswer(e));
        }
    }

    /** The next line, without its end; empty at the end. */
    static byte[] line(InputStream body) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        for (int c = body.read(); c >= 0 && c != '\n'; c = body.read()) {
            line.write(c);
            if (line.size() > MAX_LINE_BYTES) {
                throw new IOException("a row of more than " + MAX_LINE_BYTES + " bytes");
            }
        }
        return line.toByteArray();
    }

    @Override
    public void close() {
        ended = true;
        response.abort();
    }
}
