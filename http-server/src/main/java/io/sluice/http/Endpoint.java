package io.sluice.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A service for small bodies: collects the body, which the route's limit bounds, and runs on a pool's thread. */
public final class Endpoint implements HttpService {
    /** The handler of a request. It may block; its exceptions become problems. */
    @FunctionalInterface
    public interface Work {
        /** Handles the request. */
        HttpResponse answer(ApiRequest request);
    }

    private final Executor pool;
    private final @Nullable RequestLimits places;
    private final Work work;

    /** @param kind its threads, and its bound beyond which the response is 503 before the body is read */
    public Endpoint(Kind kind, Work work) {
        this.pool = kind.pool();
        this.places = kind.places();
        this.work = work;
    }

    /** @param pool runs the handler; a rejection becomes a 503 */
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
