package io.sluice.http;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import org.jspecify.annotations.Nullable;

/** What a request is called in the log and in the answer: the client's own id if it gave a harmless one. */
public final class RequestIds {
    private static final int MAX_LENGTH = 64;

    private RequestIds() {}

    /** The id of a request. */
    public static String of(ServiceRequestContext ctx) {
        RequestHeaders headers = ctx.request().headers();
        String own = headers.get(ApiHeaders.REQUEST_ID);
        return harmless(own) ? String.valueOf(own) : ctx.id().shortText();
    }

    /** Letters, digits, dots, dashes and underscores: nothing that forges a line of a log. */
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
