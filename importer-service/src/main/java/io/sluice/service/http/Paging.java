package io.sluice.service.http;

import io.sluice.http.ApiRequest;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The requested page of a list.
 *
 * @param size maximum number of items
 * @param after end position of the previous page; 0: the first page
 */
record Paging(int size, long after) {
    private static final int USUAL = 50;
    private static final int MOST = 1000;
    private static final String UNKNOWN_TOKEN = "pageToken: is not one that this service has given";

    static Paging of(ApiRequest request) {
        return new Paging(size(request.query("pageSize")), after(request.query("pageToken")));
    }

    private static int size(@Nullable String text) {
        if (text == null) {
            return USUAL;
        }
        try {
            int size = Integer.parseInt(text);
            if (size >= 1 && size <= MOST) {
                return size;
            }
        } catch (NumberFormatException e) {
            throw new BadInputException(wrongSize(text), e);
        }
        throw new BadInputException(wrongSize(text));
    }

    private static String wrongSize(String text) {
        return "pageSize " + text + ": must be a number from 1 to " + MOST;
    }

    private static long after(@Nullable String token) {
        if (token == null || token.isEmpty()) {
            return 0;
        }
        try {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.US_ASCII);
            long after = Long.parseLong(text);
            if (after > 0) {
                return after;
            }
        } catch (IllegalArgumentException e) {
            throw new BadInputException(UNKNOWN_TOKEN, e);
        }
        throw unknownToken();
    }

    /** The failure of a request with a token that no page had. */
    static BadInputException unknownToken() {
        return new BadInputException(UNKNOWN_TOKEN);
    }

    /** Creates the token of the page after a position. */
    static String token(long after) {
        byte[] text = Long.toString(after).getBytes(StandardCharsets.US_ASCII);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }
}
