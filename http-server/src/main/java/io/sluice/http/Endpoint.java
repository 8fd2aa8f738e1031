package io.sluice.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A service with small bodies: gathers the body, which the route's limit bounds, and works on a pool's thread. */
public final class Endpoint implements HttpService {
    /** What a request does. May block; what it throws becomes a problem. */
    @FunctionalInterface
    public interface Work {
        /** Does it, and says what became of it. */
        HttpResponse answer(ApiRequest request);
    }

    private final Executor pool;
    private final Work work;

    /** @param pool where the work is done; one that rejects makes the answer 503 */
    public Endpoint(Executor pool, Work work) {
        this.pool = pool;
        this.work = work;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        CompletableFuture<HttpResponse> answer = request.aggregate()
                .thenApplyAsync(
                        whole -> work.answer(new ApiRequest(
                                ctx, whole.headers(), whole.content().array())),
                        pool);
        return HttpResponse.of(answer);
    }
}
