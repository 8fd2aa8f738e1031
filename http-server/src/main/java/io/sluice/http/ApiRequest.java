package io.sluice.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request with its complete, small body.
 *
 * @param ctx Armeria's context of the request
 * @param headers headers
 * @param body body; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record ApiRequest(ServiceRequestContext ctx, RequestHeaders headers, byte[] body) {
    /** Returns a path parameter, decoded. */
    public String path(String name) {
        return Wire.required(name, ctx.pathParam(name));
    }

    /** Returns all values of a query parameter, in order; empty if it is missing. */
    public List<String> queries(String name) {
        return ctx.queryParams(name);
    }

    /** Returns the first value of a query parameter, or null. */
    public @Nullable String query(String name) {
        return ctx.queryParam(name);
    }

    /**
     * Parses the JSON body.
     *
     * @throws io.sluice.model.error.BadInputException if the body is not valid JSON of the type
     */
    public <T> T json(Class<T> type) {
        return Bodies.read(body, type);
    }
}
