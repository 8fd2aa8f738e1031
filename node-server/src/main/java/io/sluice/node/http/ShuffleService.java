package io.sluice.node.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.wire.BatchHeaders;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.node.ingest.NodeSession;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32C;

/**
 * Receives batches of unsorted KVs: {@code POST /v1/shuffle/{importId}/{part}}. A batch is small enough to be held in
 * memory.
 */
final class ShuffleService implements HttpService {
    private final Sessions sessions;
    private final NodePools pools;
    private final NodeLimits limits;
    private final Semaphore uploads;
    private final SstMetrics metrics;

    ShuffleService(Sessions sessions, NodePools pools, NodeLimits limits, Semaphore uploads, SstMetrics metrics) {
        this.sessions = sessions;
        this.pools = pools;
        this.limits = limits;
        this.uploads = uploads;
        this.metrics = metrics;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        BatchHeaders headers = BatchHeaders.read(request.headers()::get);
        UUID importId = Wire.uuid("import id", Wire.required("import id", ctx.pathParam(Routes.IMPORT_ID)));
        int part = Wire.smallNumber("part", Wire.required("part", ctx.pathParam(Routes.PART)));
        long length = request.headers().contentLength();
        if (length < 0) {
            throw new ProblemException(ProblemKind.LENGTH_REQUIRED, "send Content-Length");
        }
        if (!uploads.tryAcquire()) {
            metrics.deferred("uploads");
            throw new ProblemException(
                    Failures.busy("the node receives the maximum number of bodies; try again", "uploads"));
        }
        ctx.setRequestTimeout(TimeoutMode.SET_FROM_NOW, limits.bodyTimeout(length));
        CompletableFuture<HttpResponse> answer = CompletableFuture.supplyAsync(
                        () -> sessions.of(importId, headers.attempt()), pools.bodies())
                .thenCompose(session -> request.aggregate()
                        .thenApplyAsync(
                                whole -> take(
                                        ctx,
                                        session,
                                        headers,
                                        part,
                                        whole.content().array()),
                                pools.bodies()));
        var unused = answer.whenComplete((response, failure) -> uploads.release());
        return HttpResponse.of(answer);
    }

    private HttpResponse take(
            ServiceRequestContext ctx, NodeSession session, BatchHeaders headers, int part, byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body);
        if ((int) crc.getValue() != headers.crc32c()) {
            metrics.damaged();
            throw new ProblemException(
                    ProblemKind.DAMAGED, "the body does not match its CRC-32C; send the batch again");
        }
        ShipAnswer answer =
                sessions.call(session, () -> session.shuffle(headers.batch(part, body, body.length), headers.epoch()));
        if (answer instanceof ShipAnswer.Taken) {
            metrics.received(body.length);
            return Answers.json(HttpStatus.OK, Map.of("id", headers.batchId(), "state", "taken"));
        }
        return Answers.problem(ctx, ShipAnswers.problem(answer, metrics));
    }
}
