package io.sluice.node.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Wire;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is here and small.
 *
 * @param ctx the server's view of it
 * @param headers its headers
 * @param body its body; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
record ApiRequest(ServiceRequestContext ctx, RequestHeaders headers, byte[] body) {
    /** A part of the path, decoded. */
    String path(String name) {
        return Wire.required(name, ctx.pathParam(name));
    }

    UUID importId() {
        return Wire.uuid("import id", path(Routes.IMPORT_ID));
    }

    String table() {
        return path(Routes.TABLE);
    }

    /** Which attempt the sender is. */
    long attempt() {
        return Wire.number(
                ApiHeaders.ATTEMPT, Wire.required("header " + ApiHeaders.ATTEMPT, headers.get(ApiHeaders.ATTEMPT)));
    }

    List<String> queries(String name) {
        return ctx.queryParams(name);
    }

    @Nullable
    String query(String name) {
        return ctx.queryParam(name);
    }

    <T> T json(Class<T> type) {
        return Bodies.read(body, type);
    }

    /** The key spans of the query; none when it names none. */
    List<KeySpan> spans() {
        return queries("span").stream().map(text -> span("span", text)).toList();
    }

    private static KeySpan span(String name, String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new BadInputException(name + ": must be START-END, both in hexadecimal");
        }
        return new KeySpan(Wire.key(name, text.substring(0, dash)), Wire.key(name, text.substring(dash + 1)));
    }
}
