package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.model.error.OperationFailedException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A paginated list of a service. */
public final class Pages {
    /** Jobs per page; few, because a job lists all its inputs. */
    private static final int JOBS = 50;

    private static final int RECORDS = 500;

    private final ServiceClient client;
    private final String path;
    private final String member;
    private final int pageSize;
    private final Map<String, String> query = new LinkedHashMap<>();

    private Pages(ServiceClient client, String path, String member, int pageSize) {
        this.client = client;
        this.path = path;
        this.member = member;
        this.pageSize = pageSize;
    }

    /** Returns all jobs, newest first. */
    public static Pages ofJobs(ServiceClient client) {
        return new Pages(client, "/v1/imports", "imports", JOBS);
    }

    /** Returns the records of a job: {@code rejects} or {@code conflicts}. */
    public static Pages ofRecords(ServiceClient client, String id, String which) {
        return new Pages(client, ServiceClient.path(id) + "/" + which, "rejects", RECORDS);
    }

    /** Adds a query parameter. */
    public Pages with(String parameter, String value) {
        query.put(parameter, value);
        return this;
    }

    /**
     * Hands over the items in their order.
     *
     * @param limit how many at most
     * @param each takes an item
     * @return whether these were all there are
     */
    public boolean forEach(long limit, Consumer<JsonNode> each) {
        long left = limit;
        String token = "";
        while (left > 0) {
            JsonNode page = client.get(address(Math.min(left, pageSize), token));
            for (JsonNode item : page.path(member)) {
                if (left-- > 0) {
                    each.accept(item);
                }
            }
            String next = page.path("nextPageToken").asText();
            if (next.isEmpty()) {
                return left >= 0;
            }
            if (next.equals(token)) {
                throw new OperationFailedException(
                        "the service returned the same page token twice; report this to its operator");
            }
            token = next;
        }
        return false;
    }

    private String address(long size, String token) {
        StringBuilder address = new StringBuilder(path).append("?pageSize=").append(size);
        query.forEach(
                (name, value) -> address.append('&').append(name).append('=').append(encoded(value)));
        return token.isEmpty() ? address.toString() : address + "&pageToken=" + encoded(token);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
