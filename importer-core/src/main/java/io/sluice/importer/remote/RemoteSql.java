package io.sluice.importer.remote;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.error.AmbiguousCommitException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.sql.SqlClient;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementResult;
import io.sluice.api.sql.StatementText;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlAnswer;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.Wire;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A session of statements on a node of the network, which is begun with the first statement. Unlike other requests a
 * statement is sent once: done twice it would do something else.
 */
public final class RemoteSql implements SqlClient {
    /** Above what the node gives a statement, so that it is the node who gives up. */
    private static final long ANSWER_MILLIS = 11 * 60_000;

    private static final long CLOSE_MILLIS = 5_000;
    /** What a node answers before it begins with a statement. */
    private static final Set<ProblemKind> NOT_BEGUN = EnumSet.of(
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

    /** A session on that node. Nothing is connected before the first statement. */
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

    /** What the node did; what answers in its place, or a node that fails, leaves open whether it did anything. */
    private SqlAnswer done(Reply reply) {
        Problem problem = reply.problem();
        ProblemKind kind = problem == null ? null : ProblemKind.ofType(problem.type());
        if (reply.succeeded() || (kind != null && NOT_BEGUN.contains(kind))) {
            return reply.orFail().as(SqlAnswer.class);
        }
        throw new AmbiguousCommitException("node " + link.node() + ": " + reply.detail()
                + "; it is not known whether the statement was done: look at its rows before you run it again");
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
                    link.node(), failure.getMessage() + " It is not known whether the statement was done.", failure);
        }
    }

    @Override
    public boolean inTransaction() {
        return inTransaction;
    }

    /** Ends the session; a node that cannot be told ends it by itself. */
    @Override
    public void close() {
        String known = session;
        try (link) {
            if (known != null) {
                sent(HttpMethod.DELETE, ApiPaths.sql(sessionId(known)), null, CLOSE_MILLIS);
            }
        } catch (OperationFailedException e) {
            // It is idle from now on, and ends.
        }
    }

    private static UUID sessionId(String text) {
        return Wire.uuid("session", text);
    }
}
