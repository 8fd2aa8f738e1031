package io.sluice.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is here and small.
 *
 * @param ctx the server's view of it
 * @param headers its headers
 * @param body its body; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record ApiRequest(ServiceRequestContext ctx, RequestHeaders headers, byte[] body) {
    /** A part of the path, decoded. */
    public String path(String name) {
        return Wire.required(name, ctx.pathParam(name));
    }

    /** All values of a parameter of the query, in their order; none when it is not there. */
    public List<String> queries(String name) {
        return ctx.queryParams(name);
    }

    /** The first value of a parameter of the query, or null. */
    public @Nullable String query(String name) {
        return ctx.queryParam(name);
    }

    /**
     * The body as a value.
     *
     * @throws io.sluice.api.error.BadInputException when it is not the JSON of one
     */
    public <T> T json(Class<T> type) {
        return Bodies.read(body, type);
    }
}
