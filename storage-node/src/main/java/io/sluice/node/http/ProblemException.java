package io.sluice.node.http;

import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;

/** An answer other than success, on its way up to where answers are made. */
final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    ProblemException(Problem problem) {
        // It tells what the client did, not where the server was.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    ProblemException(ProblemKind kind, String detail) {
        this(Problem.of(kind, detail));
    }

    Problem problem() {
        return problem;
    }
}
