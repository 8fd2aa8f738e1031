package io.sluice.http;

import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;

/** An answer other than success, on its way up to where answers are made. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /** Answers with this problem. */
    public ProblemException(Problem problem) {
        // It tells what the client did, not where the server was.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    /** Answers with a problem of this kind. */
    public ProblemException(ProblemKind kind, String detail) {
        this(Problem.of(kind, detail));
    }

    /** What to answer. */
    public Problem problem() {
        return problem;
    }
}
