package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import io.sluice.api.error.BadInputException;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.SqlScript;
import io.sluice.api.sql.StatementException;
import io.sluice.api.sql.StatementResult;
import io.sluice.api.sql.StatementText;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SqlAnswer;
import io.sluice.api.wire.SqlBody;
import io.sluice.api.wire.SqlResultBody;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.node.sql.SqlEngine;
import io.sluice.node.sql.SqlSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Statements, in sessions that outlive a request or end with it. */
final class SqlService {
    /** A statement that changes as many rows as a transaction may have takes minutes, not seconds. */
    private static final Duration LONGEST = Duration.ofMinutes(10);
    /** So that a request of very many tiny statements does not answer with very many results. */
    private static final int MOST_STATEMENTS = 1000;

    private final SqlEngine engine;

    SqlService(SqlEngine engine) {
        this.engine = engine;
    }

    HttpResponse execute(ApiRequest request) {
        SqlBody body = request.json(SqlBody.class);
        List<StatementText> statements = new ArrayList<>();
        StatementResult.Failed uncut = cut(body, statements);
        if (statements.size() > MOST_STATEMENTS) {
            throw new BadInputException(
                    "statements: " + statements.size() + ", at most " + MOST_STATEMENTS + " in one request");
        }
        request.ctx().setRequestTimeout(TimeoutMode.SET_FROM_NOW, LONGEST);
        String wanted = body.session();
        if (wanted == null) {
            try (SqlSession session = open()) {
                return answer(session, false, statements, uncut);
            }
        }
        boolean fresh = wanted.equals(SqlBody.NEW_SESSION);
        return answer(fresh ? open() : session(wanted), true, statements, uncut);
    }

    /** Cuts the texts up to one that cannot be; that one's failure is the last result. */
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
                                : List.of(only(cut).with(given)));
            }
            return null;
        } catch (StatementException e) {
            return new StatementResult.Failed(e.code(), e.text());
        }
    }

    private static StatementText only(List<StatementText> statements) {
        if (statements.size() != 1) {
            throw new BadInputException("parameters: are for a text of one statement; this one has " + statements.size()
                    + ": put each in a text of its own");
        }
        return statements.get(0);
    }

    private static HttpResponse answer(
            SqlSession session, boolean stays, List<StatementText> statements, StatementResult.@Nullable Failed uncut) {
        List<StatementResult> results = new ArrayList<>(session.execute(statements));
        boolean failed = !results.isEmpty() && results.get(results.size() - 1) instanceof StatementResult.Failed;
        if (uncut != null && !failed) {
            results.add(session.refuse(uncut));
        }
        return Answers.ok(new SqlAnswer(
                stays ? session.id().toString() : null,
                session.inTransaction(),
                results.stream().map(SqlResultBody::of).toList()));
    }

    HttpResponse end(ApiRequest request) {
        session(request.path(Routes.SESSION)).close();
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
