package io.sluice.http;

import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;

/** Carries the problem of a failed request to the error handler. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        // No stack trace: the error is in the request, not in the server.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public ProblemException(ProblemKind kind, String detail) {
        this(Problem.of(kind, detail));
    }

    /** The problem to send. */
    public Problem problem() {
        return problem;
    }
}
