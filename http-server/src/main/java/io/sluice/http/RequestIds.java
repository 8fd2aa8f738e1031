package io.sluice.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import org.jspecify.annotations.Nullable;

/** The id of a request in the log and in the response: the client's own id if it is valid. */
public final class RequestIds {
    private static final int MAX_LENGTH = 64;

    private RequestIds() {}

    /** Returns the id of a request. */
    public static String of(ServiceRequestContext ctx) {
        RequestHeaders headers = ctx.request().headers();
        String own = headers.get(ApiHeaders.REQUEST_ID);
        return harmless(own) ? String.valueOf(own) : ctx.id().shortText();
    }

    /** Whether the id has only letters, digits, dots, dashes and underscores, so that it cannot forge a log line. */
    private static boolean harmless(@Nullable String id) {
        return id != null
                && !id.isEmpty()
                && id.length() <= MAX_LENGTH
                && id.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '.'
                                || c == '-'
                                || c == '_');
    }
}
