package io.sluice.node.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlAnswer;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.SqlResultBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlParser;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Caller;
import io.sluice.http.Failures;
import io.sluice.http.Kind;
import io.sluice.http.ProblemException;
import io.sluice.http.RequestLimits;
import io.sluice.http.Role;
import io.sluice.model.error.BadInputException;
import io.sluice.sql.Cancellation;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Executes SQL statements, in sessions that span requests or end with the request. */
final class SqlService {
    /** A statement with as many changes as a transaction may have takes minutes. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    /** Limits the results of a request with many tiny statements. */
    private static final int MAX_STATEMENTS = 1000;

    /** The type of a response with each row on a line of its own. */
    private static final String LINES = SqlStream.LINES.toString();

    private final SqlEngine engine;
    private final Kind kind;
    private final long stallMillis;

    /**
     * @param kind threads and places of statements
     * @param stallMillis maximum time for which a client may leave a chunk of rows unread
     */
    SqlService(SqlEngine engine, Kind kind, long stallMillis) {
        this.engine = engine;
        this.kind = kind;
        this.stallMillis = stallMillis;
    }

    HttpResponse execute(ApiRequest request) {
        SqlBody body = request.json(SqlBody.class);
        List<StatementText> statements = new ArrayList<>();
        StatementResult.Failed syntaxError = cut(body, statements);
        if (statements.size() > MAX_STATEMENTS) {
            throw new BadInputException(
                    "statements: " + statements.size() + ", at most " + MAX_STATEMENTS + " in one request");
        }
        requireRoles(request.ctx(), statements);
        request.ctx().setRequestTimeout(TimeoutMode.SET_FROM_NOW, TIMEOUT);
        // No client waits any more if the connection is closed, or the time above is over.
        Cancellation gone = new Cancellation();
        var unused = request.ctx().whenRequestCancelling().thenRun(gone::cancel);
        String wanted = body.session();
        boolean stays = wanted != null;
        SqlSession session = wanted == null || wanted.equals(SqlBody.NEW_SESSION) ? open() : session(wanted);
        Work work = new Work(session, stays, statements, syntaxError, gone);
        return String.valueOf(request.headers().get(HttpHeaderNames.ACCEPT)).contains(LINES)
                ? stream(request, work)
                : work.whole();
    }

    private HttpResponse stream(ApiRequest request, Work work) {
        SqlStream stream = new SqlStream(request.ctx(), TIMEOUT, stallMillis, work.gone);
        RequestLimits.Place place = null;
        try {
            place = kind.places().take(request.ctx());
            RequestLimits.Place taken = place;
            kind.pool().execute(() -> {
                try (taken) {
                    work.into(stream);
                }
            });
            return stream.response();
        } catch (RuntimeException | Error e) {
            stream.fail(e);
            if (place != null) {
                place.close();
            }
            work.end();
            throw e;
        }
    }

    /**
     * The statements of one request.
     *
     * @param stays whether the session outlives the request
     * @param syntaxError why the statements behind these cannot be told apart, or null
     * @param gone ends them when no client waits
     */
    private record Work(
            SqlSession session,
            boolean stays,
            List<StatementText> statements,
            StatementResult.@Nullable Failed syntaxError,
            Cancellation gone) {
        /** Executes them for one response with all results. */
        HttpResponse whole() {
            try {
                List<StatementResult> results = new ArrayList<>(session.execute(statements, gone));
                boolean failed =
                        !results.isEmpty() && results.get(results.size() - 1) instanceof StatementResult.Failed;
                if (syntaxError != null && !failed) {
                    results.add(session.refuse(syntaxError));
                }
                return Answers.ok(new SqlAnswer(
                        id(),
                        session.inTransaction(),
                        results.stream().map(SqlResultBody::of).toList()));
            } finally {
                end();
            }
        }

        /** Executes them and sends each result at once; the last line says that all were sent. */
        void into(SqlStream stream) {
            try {
                StatementResult last = null;
                for (StatementText statement : statements) {
                    last = session.execute(statement, stream, gone);
                    send(last, stream);
                    if (last instanceof StatementResult.Failed) {
                        break;
                    }
                }
                if (syntaxError != null && !(last instanceof StatementResult.Failed)) {
                    stream.line(SqlResultBody.of(session.refuse(syntaxError)));
                }
                stream.line(new SqlAnswer(id(), session.inTransaction(), null));
                stream.end();
            } catch (RuntimeException | Error e) {
                stream.fail(e);
            } finally {
                end();
            }
        }

        /** Rows that a statement returned at its end, those of RETURNING, are lines like those of a SELECT. */
        private static void send(StatementResult result, SqlStream stream) {
            StatementResult sent = result;
            if (result instanceof StatementResult.Rows returned) {
                stream.columns(returned.columns());
                returned.rows().forEach(stream::row);
                sent = new StatementResult.Returned(returned.rows().size());
            }
            stream.line(SqlResultBody.of(sent));
        }

        private @Nullable String id() {
            return stays ? session.id().toString() : null;
        }

        void end() {
            if (!stays) {
                session.close();
            }
        }
    }

    /** Nothing is executed unless the sender may execute all of it. */
    private static void requireRoles(ServiceRequestContext ctx, List<StatementText> statements) {
        for (StatementText statement : statements) {
            String verb = SqlParser.verb(statement);
            Role needed =
                    switch (verb) {
                        case "insert" -> Role.SUBMIT;
                        case "update", "delete" -> Role.OPERATE;
                        default -> Role.READ;
                    };
            if (!Caller.may(ctx, needed)) {
                throw Caller.refusal(ctx, needed, verb.toUpperCase(Locale.ROOT));
            }
        }
    }

    /** Splits the texts into statements up to the first syntax error, and returns that error or null. */
    private static StatementResult.@Nullable Failed cut(SqlBody body, List<StatementText> statements) {
        int line = Math.max(1, Objects.requireNonNullElse(body.line(), 1));
        int column = Math.max(1, Objects.requireNonNullElse(body.column(), 1));
        try {
            List<String> texts = Wire.required("statements", body.statements());
            List<@Nullable List<@Nullable String>> parameters =
                    Objects.requireNonNullElse(body.parameters(), List.of());
            if (parameters.size() > texts.size()) {
                throw new BadInputException(
                        "parameters: " + parameters.size() + " lists for " + texts.size() + " statements");
            }
            for (int i = 0; i < texts.size(); i++) {
                List<StatementText> cut = SqlScript.split(Wire.required("statements", texts.get(i)), line, column);
                List<@Nullable String> given = i < parameters.size() ? parameters.get(i) : null;
                statements.addAll(
                        given == null || given.isEmpty()
                                ? cut
                                : List.of(single(cut).with(given)));
            }
            return null;
        } catch (StatementException e) {
            return new StatementResult.Failed(e.code(), e.text());
        }
    }

    private static StatementText single(List<StatementText> statements) {
        if (statements.size() != 1) {
            throw new BadInputException("parameters: need a text with one statement; this one has " + statements.size()
                    + ": put each in a text of its own");
        }
        return statements.get(0);
    }

    HttpResponse end(ApiRequest request) {
        session(request.path(TableRoutes.SESSION)).close();
        return Answers.noContent();
    }

    private SqlSession open() {
        try {
            return engine.open();
        } catch (StatementException e) {
            if (e.code() == SqlErrorCode.SESSION) {
                throw new ProblemException(Failures.busy(e.text(), "sessions"));
            }
            throw e;
        }
    }

    private SqlSession session(String text) {
        SqlSession session = engine.session(Wire.uuid("session", text));
        if (session == null) {
            throw new ProblemException(
                    ProblemKind.NOT_FOUND,
                    "there is no session " + text
                            + ": it was idle for too long, or the node was restarted; what was not"
                            + " committed is undone");
        }
        return session;
    }
}
