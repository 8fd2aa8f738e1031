package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlAnswer;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.SqlResultBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Executes SQL statements, in sessions that span requests or end with the request. */
final class SqlService {
    /** A statement with as many changes as a transaction may have takes minutes. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    /** Limits the results of a request with many tiny statements. */
    private static final int MAX_STATEMENTS = 1000;

    private final SqlEngine engine;

    SqlService(SqlEngine engine) {
        this.engine = engine;
    }

    HttpResponse execute(ApiRequest request) {
        SqlBody body = request.json(SqlBody.class);
        List<StatementText> statements = new ArrayList<>();
        StatementResult.Failed syntaxError = cut(body, statements);
        if (statements.size() > MAX_STATEMENTS) {
            throw new BadInputException(
                    "statements: " + statements.size() + ", at most " + MAX_STATEMENTS + " in one request");
        }
        request.ctx().setRequestTimeout(TimeoutMode.SET_FROM_NOW, TIMEOUT);
        String wanted = body.session();
        if (wanted == null) {
            try (SqlSession session = open()) {
                // No client waits any more if the connection is closed, or the time above is over.
                var unused = request.ctx().whenRequestCancelling().thenRun(session::cancel);
                return answer(session, false, statements, syntaxError);
            }
        }
        boolean fresh = wanted.equals(SqlBody.NEW_SESSION);
        return answer(fresh ? open() : session(wanted), true, statements, syntaxError);
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

    private static HttpResponse answer(
            SqlSession session,
            boolean stays,
            List<StatementText> statements,
            StatementResult.@Nullable Failed syntaxError) {
        List<StatementResult> results = new ArrayList<>(session.execute(statements));
        boolean failed = !results.isEmpty() && results.get(results.size() - 1) instanceof StatementResult.Failed;
        if (syntaxError != null && !failed) {
            results.add(session.refuse(syntaxError));
        }
        return Answers.ok(new SqlAnswer(
                stays ? session.id().toString() : null,
                session.inTransaction(),
                results.stream().map(SqlResultBody::of).toList()));
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
