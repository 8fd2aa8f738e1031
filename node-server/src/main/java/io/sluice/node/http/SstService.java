package io.sluice.node.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.stream.SubscriptionOption;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SstHeaders;
import io.sluice.api.wire.Wire;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.ingest.Admission;
import io.sluice.node.ingest.NodeSession;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Receives SSTs: {@code PUT /v1/ssts/{uuid}}.
 *
 * <ol>
 *   <li>read the headers and decide on admission;
 *   <li>write the body, or what the source holds, to a file in staging, at the disk's pace;
 *   <li>compare length and checksum, and sync the file;
 *   <li>have the node verify and stage it; an import on arrival also ingests it into the tree;
 *   <li>answer. A failure in any step leaves no file.
 * </ol>
 */
final class SstService implements HttpService {
    private final Sessions sessions;
    private final NodePools pools;
    private final NodeLimits limits;
    private final Semaphore uploads;
    private final SstMetrics metrics;

    SstService(Sessions sessions, NodePools pools, NodeLimits limits, Semaphore uploads, SstMetrics metrics) {
        this.sessions = sessions;
        this.pools = pools;
        this.limits = limits;
        this.uploads = uploads;
        this.metrics = metrics;
    }

    /** An SST as described by its headers, before its body arrives. */
    private record Announced(
            SstHeaders headers, SstFile sst, @Nullable URI source) {
        /** Placeholder: the node chooses the path. */
        private static final Path NOWHERE = Path.of("");

        static Announced of(ServiceRequestContext ctx, RequestHeaders headers, NodeLimits limits) {
            UUID id = Wire.uuid("SST id", Wire.required("SST id", ctx.pathParam(Routes.SST_ID)));
            long maxBytes = limits.sstBytes();
            URI source = source(headers.get(ApiHeaders.SOURCE), limits.sources());
            long bytes = source == null ? headers.contentLength() : SstHeaders.sourceBytes(headers::get);
            if (bytes < 0) {
                throw new ProblemException(
                        ProblemKind.LENGTH_REQUIRED, "send Content-Length, the number of bytes of the SST");
            }
            if (bytes > maxBytes) {
                throw new ProblemException(
                        ProblemKind.TOO_LARGE, "the SST has " + bytes + " bytes, the node takes " + maxBytes);
            }
            SstHeaders values = SstHeaders.read(headers::get);
            return new Announced(values, values.file(id, NOWHERE, bytes), source);
        }

        private static @Nullable URI source(@Nullable String text, SstSources sources) {
            if (text == null) {
                return null;
            }
            URI source = SstSources.parsed(text);
            if (source == null || !sources.allow(source)) {
                throw new ProblemException(
                        ProblemKind.SOURCE_NOT_READ,
                        (source == null ? "the source" : SstSources.shown(source))
                                + " is below no address that the node may read; send the bytes, or start the node with"
                                + " --sst-source");
            }
            return source;
        }
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        Announced announced = Announced.of(ctx, request.headers(), limits);
        if (!uploads.tryAcquire()) {
            metrics.deferred("uploads");
            throw new ProblemException(
                    Failures.busy("the node receives the maximum number of SSTs; try again", "uploads"));
        }
        ctx.setRequestTimeout(
                TimeoutMode.SET_FROM_NOW, limits.bodyTimeout(announced.sst().fileBytes()));
        CompletableFuture<HttpResponse> answer = CompletableFuture.supplyAsync(() -> admit(announced), pools.bodies())
                .thenCompose(decision -> decision.admission() instanceof Admission.Room room
                        ? receive(ctx, request, announced, decision.session(), room)
                        : CompletableFuture.completedFuture(refusal(ctx, announced, decision)));
        var unused = answer.whenComplete((response, failure) -> uploads.release());
        return HttpResponse.of(answer);
    }

    private record Decision(NodeSession session, Admission admission) {}

    private Decision admit(Announced announced) {
        SstHeaders headers = announced.headers();
        NodeSession session = sessions.of(headers.importId(), headers.attempt());
        return new Decision(session, sessions.call(session, () -> session.admit(announced.sst(), headers.epoch())));
    }

    private HttpResponse refusal(ServiceRequestContext ctx, Announced announced, Decision decision) {
        ShipAnswer answer = ((Admission.Answered) decision.admission()).answer();
        if (answer instanceof ShipAnswer.Taken) {
            metrics.repeated();
        }
        return ShipAnswers.response(ctx, decision.session(), announced.sst().id(), answer, false, metrics);
    }

    private CompletableFuture<HttpResponse> receive(
            ServiceRequestContext ctx,
            HttpRequest request,
            Announced announced,
            NodeSession session,
            Admission.Room room) {
        URI source = announced.source();
        if (source != null) {
            return CompletableFuture.supplyAsync(() -> fetch(ctx, announced, source, session, room), pools.bodies());
        }
        FileSink sink = new FileSink(room.file(), announced.sst().fileBytes(), pools.bodies());
        request.subscribe(sink, ctx.eventLoop().withoutContext(), SubscriptionOption.WITH_POOLED_OBJECTS);
        return sink.whenDone()
                .handleAsync(
                        (received, failure) -> {
                            try (room) {
                                if (received == null) {
                                    throw broken(announced, room, failure);
                                }
                                return take(ctx, announced, received, session, room);
                            }
                        },
                        pools.bodies());
    }

    private HttpResponse fetch(
            ServiceRequestContext ctx, Announced announced, URI source, NodeSession session, Admission.Room room) {
        long bytes = announced.sst().fileBytes();
        try (room) {
            SstFetch fetch = new SstFetch(source, bytes, limits.server().stallMillis(), limits.bodyTimeout(bytes));
            FileSink.Received received = fetch.to(room.file());
            metrics.fetched();
            return take(ctx, announced, received, session, room);
        } catch (IOException e) {
            throw broken(announced, room, e);
        }
    }

    private HttpResponse take(
            ServiceRequestContext ctx,
            Announced announced,
            FileSink.Received received,
            NodeSession session,
            Admission.Room room) {
        check(announced, received);
        ShipAnswer answer = ship(session, room);
        metrics.received(received.bytes());
        return ShipAnswers.response(ctx, session, announced.sst().id(), answer, true, metrics);
    }

    private ShipAnswer ship(NodeSession session, Admission.Room room) {
        try {
            return sessions.call(session, room::ship);
        } catch (OperationFailedException e) {
            if (e.getCause() == null) {
                // No I/O failure: the node verified the file and it does not match the headers.
                metrics.damaged();
                throw new ProblemException(ProblemKind.DAMAGED, String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    private void check(Announced announced, FileSink.Received received) {
        long expected = announced.sst().fileBytes();
        if (received.bytes() != expected) {
            metrics.damaged();
            throw new ProblemException(
                    ProblemKind.DAMAGED,
                    "the body has " + received.bytes() + " bytes, Content-Length says " + expected + "; send it again");
        }
        int crc = announced.headers().crc32c();
        if (received.crc32c() != crc) {
            metrics.damaged();
            URI source = announced.source();
            if (source != null) {
                throw new ProblemException(
                        ProblemKind.SOURCE_NOT_READ,
                        SstSources.shown(source) + ": its CRC-32C is " + Wire.hex(received.crc32c())
                                + ", the header says " + Wire.hex(crc) + "; send the bytes");
            }
            throw new ProblemException(
                    ProblemKind.DAMAGED,
                    "the body's CRC-32C is " + Wire.hex(received.crc32c()) + ", the header says " + Wire.hex(crc)
                            + "; send it again");
        }
    }

    /** Returns the error for a body that was not fully received. */
    private static RuntimeException broken(Announced announced, Admission.Room room, @Nullable Throwable failure) {
        Throwable cause = failure == null ? new IllegalStateException("no cause") : Exceptions.peel(failure);
        if (cause instanceof RuntimeException known) {
            return known;
        }
        if (full(room.file(), announced.sst().fileBytes())) {
            return new ProblemException(
                    Problem.of(ProblemKind.DISK_FULL, "the node's disk is full; free some space and send it again")
                            .waitingFor("disk"));
        }
        return new OperationFailedException(
                "could not write SST " + announced.sst().id(), cause);
    }

    private static boolean full(Path file, long bytes) {
        try {
            Path directory = file.getParent();
            return directory != null && Files.getFileStore(directory).getUsableSpace() < bytes;
        } catch (IOException e) {
            return false;
        }
    }
}
