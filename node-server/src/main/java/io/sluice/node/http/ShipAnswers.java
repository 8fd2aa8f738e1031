package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.wire.DirectoryBody;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SstState;
import io.sluice.http.Answers;
import io.sluice.node.ingest.NodeSession;
import java.util.UUID;

/** Maps a node's answer to an SST or a batch to HTTP. */
final class ShipAnswers {
    private static final String DISK = "disk";

    private ShipAnswers() {}

    /**
     * Builds the response to an SST.
     *
     * @param arrived whether the body was read; if not, the node had the SST already
     */
    static HttpResponse response(
            ServiceRequestContext ctx,
            NodeSession session,
            UUID id,
            ShipAnswer answer,
            boolean arrived,
            SstMetrics metrics) {
        if (answer instanceof ShipAnswer.Taken) {
            SstState.State state = SstState.State.valueOf(session.progress(id).name());
            if (arrived) {
                metrics.taken(state);
            }
            return Answers.json(arrived ? HttpStatus.CREATED : HttpStatus.OK, new SstState(id, state));
        }
        return Answers.problem(ctx, problem(answer, metrics));
    }

    /** Maps any answer other than {@code Taken} to a problem. */
    static Problem problem(ShipAnswer answer, SstMetrics metrics) {
        if (answer instanceof ShipAnswer.Deferred later) {
            metrics.deferred(later.limiter());
            ProblemKind kind = later.limiter().equals(DISK) ? ProblemKind.BUSY : ProblemKind.DEFERRED;
            return Problem.of(kind, "the node waits for " + later.limiter() + "; send it again later")
                    .waitingFor(later.limiter())
                    .again(later.afterMillis());
        }
        if (answer instanceof ShipAnswer.Refused refused) {
            metrics.refused(refused.limiter());
            ProblemKind kind = refused.limiter().equals(DISK) ? ProblemKind.DISK_FULL : ProblemKind.REFUSED;
            return Problem.of(kind, refused.reason()).waitingFor(refused.limiter());
        }
        if (answer instanceof ShipAnswer.Moved moved) {
            metrics.moved();
            return Problem.of(
                            ProblemKind.MOVED,
                            "the key ranges have changed, epoch "
                                    + moved.directory().epoch() + "; cut the SST again")
                    .withDirectory(DirectoryBody.of(moved.directory()));
        }
        throw new IllegalArgumentException("not a problem: " + answer);
    }
}
