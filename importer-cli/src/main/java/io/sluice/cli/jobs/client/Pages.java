package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.error.OperationFailedException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A list that a service hands out in pages. */
public final class Pages {
    /** A job names all its inputs, so a page of jobs may be large. */
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

    /** All jobs, the newest first. */
    public static Pages ofJobs(ServiceClient client) {
        return new Pages(client, "/v1/imports", "imports", JOBS);
    }

    /** Records of a job: {@code rejects}, or {@code conflicts}. */
    public static Pages ofRecords(ServiceClient client, String id, String which) {
        return new Pages(client, ServiceClient.path(id) + "/" + which, "rejects", RECORDS);
    }

    /** Only those with this value of a parameter. */
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
                throw new OperationFailedException("the service answers with the same page for ever; tell its keeper");
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
