package io.sluice.client;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.stream.StreamMessage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.SstHeaders;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Sends SSTs and batches to one node, a bounded number at a time, each as fast as the node takes it. Of a file, a few
 * chunks are in memory.
 */
final class Uploads {
    private static final int CHUNK_BYTES = 64 << 10;
    /** Least average speed of an upload; a node aborts slower ones. */
    private static final long LEAST_BYTES_PER_SECOND = 64 << 10;

    private static final long MILLIS_PER_SECOND = 1000;
    private static final long DEFER_MILLIS = 1_000;
    /** Tries with a damaged arrival before the upload fails: one may be an accident. */
    private static final int DAMAGED_TRIES = 3;

    private final Link link;
    private final Semaphore places;
    private final long patienceMillis;

    Uploads(Link link, RemoteSettings settings) {
        this.link = link;
        places = new Semaphore(settings.uploads(), true);
        patienceMillis = settings.patience().importMillis();
    }

    /**
     * Sends an SST; deletes its file, if it is in one, when the node has it. Of an SST in an object store, it sends the
     * address, signed anew for each request.
     *
     * @param what description of the SST for messages
     */
    ShipAnswer sst(String what, SstFile sst, SstHeaders headers) {
        RequestHeaders head = link.headers(HttpMethod.PUT, ApiPaths.sst(sst.id()), headers.write())
                .contentType(MediaType.OCTET_STREAM)
                .contentLength(sst.fileBytes())
                .build();
        if (sst.bytes() instanceof SstBytes.InMemory memory) {
            return fromMemory(what, sst.fileBytes(), head, memory);
        }
        if (sst.bytes() instanceof SstBytes.InStore stored) {
            return send(
                    what,
                    sst.fileBytes(),
                    () -> HttpRequest.of(link.headers(HttpMethod.PUT, ApiPaths.sst(sst.id()), headers.write())
                            .set(ApiHeaders.SOURCE, stored.object().address().toString())
                            .set(ApiHeaders.SOURCE_BYTES, Long.toString(sst.fileBytes()))
                            .contentLength(0)
                            .build()));
        }
        ShipAnswer answer = send(
                what,
                sst.fileBytes(),
                () -> HttpRequest.of(
                        head,
                        StreamMessage.builder(sst.path())
                                .bufferSize(CHUNK_BYTES)
                                .build()));
        if (answer instanceof ShipAnswer.Taken) {
            try {
                Files.deleteIfExists(sst.path());
            } catch (IOException e) {
                throw new OperationFailedException(sst.path() + " could not be removed: " + e.getMessage(), e);
            }
        }
        return answer;
    }

    private ShipAnswer fromMemory(String what, long bytes, RequestHeaders head, SstBytes.InMemory memory) {
        AtomicInteger requests = new AtomicInteger();
        boolean taken = false;
        try {
            ShipAnswer answer = send(what, bytes, () -> {
                requests.incrementAndGet();
                return HttpRequest.of(head, body(memory));
            });
            taken = answer instanceof ShipAnswer.Taken;
            return answer;
        } finally {
            if (!taken || requests.get() > 1) {
                memory.sendBroken();
            }
        }
    }

    private static StreamMessage<HttpData> body(SstBytes.InMemory memory) {
        return StreamMessage.of(memory.chunks().stream()
                .map(chunk -> HttpData.wrap(chunk.array(), chunk.arrayOffset() + chunk.position(), chunk.remaining()))
                .toArray(HttpData[]::new));
    }

    /**
     * Sends a batch; the caller may reuse the array after the return.
     *
     * @param what description of the batch for messages
     */
    ShipAnswer batch(String what, String path, Map<String, String> headers, byte[] body, int length) {
        RequestHeaders head = link.headers(HttpMethod.POST, path, headers)
                .contentType(MediaType.OCTET_STREAM)
                .contentLength(length)
                .build();
        return send(what, length, () -> HttpRequest.of(head, HttpData.copyOf(body, 0, length)));
    }

    /** Sends until there is an answer. A deferral is an answer, so it frees the upload slot. */
    private ShipAnswer send(String what, long bytes, Supplier<HttpRequest> request) {
        long timeoutMillis = patienceMillis + bytes * MILLIS_PER_SECOND / LEAST_BYTES_PER_SECOND;
        long start = System.nanoTime();
        int damaged = 0;
        for (int failures = 1; ; failures++) {
            try {
                Reply reply = inPlace(request, timeoutMillis);
                if (!reply.is(ProblemKind.DAMAGED) || ++damaged == DAMAGED_TRIES) {
                    return answer(what, reply);
                }
            } catch (Link.NoAnswer e) {
                long waited = (System.nanoTime() - start) / 1_000_000;
                if (!link.awaitRetry(failures, patienceMillis - waited)) {
                    throw link.unreachable(e);
                }
            }
        }
    }

    private Reply inPlace(Supplier<HttpRequest> request, long timeoutMillis) {
        try {
            places.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while an SST waited for node " + link.node(), e);
        }
        try {
            return link.send(request.get(), timeoutMillis);
        } finally {
            places.release();
        }
    }

    private static ShipAnswer answer(String what, Reply reply) {
        if (reply.succeeded()) {
            return new ShipAnswer.Taken();
        }
        Problem problem = reply.problem();
        String limiter = problem == null || problem.delay().limiter() == null
                ? "node"
                : problem.delay().limiter();
        if (reply.deferred()) {
            return new ShipAnswer.Deferred(reply.retryAfterMillis(DEFER_MILLIS), limiter);
        }
        if (reply.is(ProblemKind.SOURCE_NOT_READ)) {
            return new ShipAnswer.NotRead("node " + reply.node() + ": " + reply.detail());
        }
        if (reply.is(ProblemKind.MOVED)) {
            return new ShipAnswer.Moved(
                    problem == null || problem.directory() == null
                            ? RangeDirectory.SINGLE_NODE
                            : problem.directory().toDirectory());
        }
        if (reply.is(ProblemKind.REFUSED) || reply.is(ProblemKind.DISK_FULL)) {
            return new ShipAnswer.Refused(reply.detail(), limiter);
        }
        throw new OperationFailedException("node " + reply.node() + " did not take " + what + ": " + reply.detail());
    }
}
