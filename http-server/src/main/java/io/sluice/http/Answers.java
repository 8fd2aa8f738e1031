package io.sluice.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.Problem;

/** Creates responses with a complete body. */
public final class Answers {
    static final MediaType PROBLEM = MediaType.parse(Problem.MEDIA_TYPE);
    private static final long MILLIS_PER_SECOND = 1000;

    private Answers() {}

    /** Creates a response whose JSON body Jackson writes from a value. */
    public static HttpResponse json(HttpStatus status, Object body) {
        return HttpResponse.of(status, MediaType.JSON_UTF_8, HttpData.wrap(bytes(body)));
    }

    /** Creates a 200 with a JSON body. */
    public static HttpResponse ok(Object body) {
        return json(HttpStatus.OK, body);
    }

    /** Creates a 204 without a body. */
    public static HttpResponse noContent() {
        return HttpResponse.of(ResponseHeaders.of(HttpStatus.NO_CONTENT));
    }

    /** Creates a problem response with the request's id in the log. */
    public static HttpResponse problem(ServiceRequestContext ctx, Problem problem) {
        return HttpResponse.of(problemHeaders(problem), problemBody(problem.about(ApiRequest.id(ctx), ctx.path())));
    }

    static ResponseHeaders problemHeaders(Problem problem) {
        ResponseHeadersBuilder headers = ResponseHeaders.builder(problem.kind().status());
        headers.contentType(PROBLEM);
        Long again = problem.delay().retryAfterMillis();
        if (again != null) {
            // In whole seconds, at least one: zero would mean at once.
            headers.set(
                    HttpHeaderNames.RETRY_AFTER,
                    Long.toString(Math.max(1, (again + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND)));
        }
        if (problem.kind().status() == HttpStatus.UNAUTHORIZED.code()) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"sluice\"");
        }
        return headers.build();
    }

    static HttpData problemBody(Problem problem) {
        return HttpData.wrap(bytes(problem));
    }

    private static byte[] bytes(Object body) {
        try {
            return Bodies.JSON.writeValueAsBytes(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that is no JSON: " + body.getClass(), e);
        }
    }
}
