package io.sluice.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.SqlResultBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An SQL session on a remote node, opened by the first statement. A statement is never retried, since repeating it
 * could change the result.
 */
public final class RemoteSql implements SqlClient {
    /** Longer than the node's limit for a statement, so that the node times out first. */
    private static final long ANSWER_MILLIS = 11 * 60_000;

    private static final long CLOSE_MILLIS = 5_000;
    /** Lines between two renewals of the limit of time; each has one row. */
    private static final int LINES_PER_TIMEOUT = 1_000;

    private static final String LINES = "application/x-ndjson";
    private static final TypeReference<List<@Nullable String>> ROW = new TypeReference<>() {};
    private static final TypeReference<List<String>> NAMES = new TypeReference<>() {};

    /** Answers of a node that has not started the statement. */
    private static final Set<ProblemKind> NOT_STARTED = EnumSet.of(
            ProblemKind.BAD_REQUEST,
            ProblemKind.UNAUTHORIZED,
            ProblemKind.FORBIDDEN,
            ProblemKind.NOT_FOUND,
            ProblemKind.METHOD_NOT_ALLOWED,
            ProblemKind.LENGTH_REQUIRED,
            ProblemKind.TOO_LARGE,
            ProblemKind.UNSUPPORTED_MEDIA_TYPE,
            ProblemKind.HEADERS_TOO_LARGE,
            ProblemKind.BUSY);

    private final Link link;
    private @Nullable String session;
    private boolean inTransaction;

    /** Creates a session on a node; it connects with the first statement. */
    public RemoteSql(RemoteSettings settings) {
        link = new Link(settings);
    }

    @Override
    public StatementResult execute(StatementText statement, RowSink rows) {
        String known = session;
        SqlBody body = new SqlBody(
                known == null ? SqlBody.NEW_SESSION : known,
                List.of(statement.text()),
                statement.parameters().isEmpty() ? null : List.of(statement.parameters()),
                statement.line(),
                statement.column());
        var head = link.headers(HttpMethod.POST, ApiPaths.SQL, Map.of());
        head.contentType(MediaType.JSON).set(HttpHeaderNames.ACCEPT, LINES);
        HttpRequest request = HttpRequest.of(head.build(), HttpData.wrap(Reply.json(body)));
        Runnable[] again = new Runnable[1];
        HttpResponse response = link.open(request, ANSWER_MILLIS, each -> again[0] = each);
        try {
            RemoteRows.Answer answer = RemoteRows.answer(link, response);
            Reply refusal = answer.refusal();
            if (refusal == null) {
                return read(answer.body(), rows, again[0]);
            }
            if (known != null && refusal.is(ProblemKind.NOT_FOUND)) {
                session = null;
                inTransaction = false;
                return new StatementResult.Failed(SqlErrorCode.SESSION, refusal.detail());
            }
            throw failure(refusal);
        } catch (NodeUnreachableException e) {
            throw unknown(e);
        } catch (IOException e) {
            throw unknown(link.unreachable(new Link.NoAnswer(e)));
        } finally {
            // No effect on an answer that was read to its end.
            response.abort();
        }
    }

    /** Reads the lines of an answer; the last one has the state of the session. */
    private StatementResult read(InputStream body, RowSink rows, Runnable again) throws IOException {
        StatementResult result = null;
        for (long lines = 1; ; lines++) {
            JsonNode line = Reply.JSON.readTree(RemoteRows.line(body));
            if (line.isArray()) {
                rows.row(Reply.JSON.convertValue(line, ROW));
            } else if (line.has("inTransaction")) {
                session = line.path("session").textValue();
                inTransaction = line.path("inTransaction").asBoolean();
                if (result == null) {
                    throw new IOException("the answer has no result");
                }
                return result;
            } else if (line.has("columns")) {
                rows.columns(Reply.JSON.convertValue(line.get("columns"), NAMES));
            } else if (line.isObject()) {
                result = Reply.JSON.treeToValue(line, SqlResultBody.class).toResult();
            } else {
                throw new IOException("the answer ended before its last line");
            }
            if (lines % LINES_PER_TIMEOUT == 0) {
                again.run();
            }
        }
    }

    /** The failure for an answer without results. Most of them leave unknown whether the statement was executed. */
    private RuntimeException failure(Reply reply) {
        Problem problem = reply.problem();
        ProblemKind kind =
                problem == null ? null : ProblemKind.ofType(problem.kind().type());
        if (kind != null && NOT_STARTED.contains(kind)) {
            return reply.failure();
        }
        return new AmbiguousCommitException("node " + link.node() + ": " + reply.detail()
                + "; it is not known whether the statement was executed: check its rows before you run it again");
    }

    private NodeUnreachableException unknown(NodeUnreachableException failure) {
        return new NodeUnreachableException(
                failure.node(),
                failure.described(),
                failure.getMessage() + " It is not known whether the statement was executed.",
                failure);
    }

    @Override
    public boolean inTransaction() {
        return inTransaction;
    }

    /** Ends the session; a node that does not get the request ends it after an idle time. */
    @Override
    public void close() {
        String known = session;
        try (link) {
            if (known != null) {
                link.send(
                        HttpRequest.of(link.headers(HttpMethod.DELETE, ApiPaths.sql(sessionId(known)), Map.of())
                                .build()),
                        CLOSE_MILLIS);
            }
        } catch (OperationFailedException | Link.NoAnswer e) {
            // The node ends the idle session.
        }
    }

    private static UUID sessionId(String text) {
        return Wire.uuid("session", text);
    }
}
