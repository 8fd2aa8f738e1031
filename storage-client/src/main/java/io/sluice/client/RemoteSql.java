package io.sluice.client;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlAnswer;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.SqlClient;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
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
    public StatementResult execute(StatementText statement) {
        String known = session;
        SqlBody body = new SqlBody(
                known == null ? SqlBody.NEW_SESSION : known,
                List.of(statement.text()),
                statement.parameters().isEmpty() ? null : List.of(statement.parameters()),
                statement.line(),
                statement.column());
        Reply reply = sent(HttpMethod.POST, ApiPaths.SQL, Reply.json(body), ANSWER_MILLIS);
        if (known != null && reply.is(ProblemKind.NOT_FOUND)) {
            session = null;
            inTransaction = false;
            return new StatementResult.Failed(SqlErrorCode.SESSION, reply.detail());
        }
        SqlAnswer answer = done(reply);
        session = answer.session();
        inTransaction = answer.inTransaction();
        if (answer.results().size() != 1) {
            throw new OperationFailedException("node " + link.node() + " answered one statement with "
                    + answer.results().size() + " results");
        }
        return answer.results().get(0).toResult();
    }

    /** Reads the node's answer. Any other answer leaves unknown whether the statement was executed. */
    private SqlAnswer done(Reply reply) {
        Problem problem = reply.problem();
        ProblemKind kind = problem == null ? null : ProblemKind.ofType(problem.type());
        if (reply.succeeded() || (kind != null && NOT_STARTED.contains(kind))) {
            return reply.orFail().as(SqlAnswer.class);
        }
        throw new AmbiguousCommitException("node " + link.node() + ": " + reply.detail()
                + "; it is not known whether the statement was executed: check its rows before you run it again");
    }

    private Reply sent(HttpMethod method, String path, byte @Nullable [] json, long timeoutMillis) {
        var head = link.headers(method, path, Map.of());
        if (json != null) {
            head.contentType(MediaType.JSON);
        }
        HttpRequest request =
                json == null ? HttpRequest.of(head.build()) : HttpRequest.of(head.build(), HttpData.wrap(json));
        try {
            return link.send(request, timeoutMillis);
        } catch (Link.NoAnswer e) {
            NodeUnreachableException failure = link.unreachable(e);
            throw new NodeUnreachableException(
                    link.node(),
                    failure.getMessage() + " It is not known whether the statement was executed.",
                    failure);
        }
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
                sent(HttpMethod.DELETE, ApiPaths.sql(sessionId(known)), null, CLOSE_MILLIS);
            }
        } catch (OperationFailedException e) {
            // The node ends the idle session.
        }
    }

    private static UUID sessionId(String text) {
        return Wire.uuid("session", text);
    }
}
