package io.sluice.node.http;

import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Wire;
import io.sluice.http.ApiRequest;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.UUID;

/** Parses the import id, attempt, table and key spans of a request. */
final class RequestNames {
    private RequestNames() {}

    static UUID importId(ApiRequest request) {
        return Wire.uuid("import id", request.path(Routes.IMPORT_ID));
    }

    static String table(ApiRequest request) {
        return request.path(TableRoutes.TABLE);
    }

    /** Returns the attempt number of the sender, which serves as fencing token. */
    static long attempt(ApiRequest request) {
        return Wire.number(
                ApiHeaders.ATTEMPT,
                Wire.required("header " + ApiHeaders.ATTEMPT, request.headers().get(ApiHeaders.ATTEMPT)));
    }

    /** Returns the key spans of the query, possibly none. */
    static List<KeySpan> spans(ApiRequest request) {
        return request.queries("span").stream().map(text -> span("span", text)).toList();
    }

    /** Returns the parameter of the query. */
    static String only(ApiRequest request, String name) {
        List<String> values = request.queries(name);
        if (values.size() != 1) {
            throw new BadInputException(name + ": give it once");
        }
        return values.get(0);
    }

    private static KeySpan span(String name, String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            throw new BadInputException(name + ": must be START-END, both in hexadecimal");
        }
        return new KeySpan(Wire.key(name, text.substring(0, dash)), Wire.key(name, text.substring(dash + 1)));
    }
}
