package io.sluice.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
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
    private static final int MAX_ID_LENGTH = 64;

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

    /** Returns the id of a request in the log and in the response: the client's own id if it is valid. */
    public static String id(ServiceRequestContext ctx) {
        RequestHeaders headers = ctx.request().headers();
        String own = headers.get(ApiHeaders.REQUEST_ID);
        return harmless(own) ? String.valueOf(own) : ctx.id().shortText();
    }

    /** Whether the id has only letters, digits, dots, dashes and underscores, so that it cannot forge a log line. */
    private static boolean harmless(@Nullable String id) {
        return id != null
                && !id.isEmpty()
                && id.length() <= MAX_ID_LENGTH
                && id.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '.'
                                || c == '-'
                                || c == '_');
    }
}
