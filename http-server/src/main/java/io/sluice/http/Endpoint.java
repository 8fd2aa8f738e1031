package io.sluice.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A service with small bodies: gathers the body, which the route's limit bounds, and works on a pool's thread. */
public final class Endpoint implements HttpService {
    /** What a request does. May block; what it throws becomes a problem. */
    @FunctionalInterface
    public interface Work {
        /** Does it, and says what became of it. */
        HttpResponse answer(ApiRequest request);
    }

    private final Executor pool;
    private final @Nullable RequestLimits places;
    private final Work work;

    /** @param kind has the threads, and the bound beyond which the answer is 503, before the body is read */
    public Endpoint(Kind kind, Work work) {
        this.pool = kind.pool();
        this.places = kind.places();
        this.work = work;
    }

    /** @param pool where the work is done; one that rejects makes the answer 503 */
    Endpoint(Executor pool, Work work) {
        this.pool = pool;
        this.places = null;
        this.work = work;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        RequestLimits.Place place = places == null ? null : places.take(ctx);
        CompletableFuture<HttpResponse> answer = request.aggregate()
                .thenApplyAsync(
                        whole -> work.answer(new ApiRequest(
                                ctx, whole.headers(), whole.content().array())),
                        pool);
        if (place != null) {
            var unused = answer.whenComplete((response, failure) -> place.close());
        }
        return HttpResponse.of(answer);
    }
}
