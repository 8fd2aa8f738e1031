package io.sluice.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of an import service's REST API: creates and watches imports, reads tables, executes statements.
 * Thread-safe.
 *
 * <p>Each method throws {@link ServiceException} if the service refuses the request, and {@link UncheckedIOException}
 * if it cannot be reached or the connection breaks.
 */
public final class SluiceClient {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<List<@Nullable String>> ROW = new TypeReference<>() {};
    private static final Set<String> FINAL = Set.of("succeeded", "succeeded_with_rejects", "failed", "cancelled");
    private static final String EVENT = "data: {";
    /** Connections in a row that give no event before {@link #watch} fails. */
    private static final int WATCH_TRIES = 5;

    private static final long FIRST_WAIT_MILLIS = 250;
    private static final int LAST_SUCCESS = 299;
    private static final int HTTP_OK = 200;

    private final HttpClient http;
    private final String service;
    private final @Nullable String token;
    private final Duration timeout;

    /**
     * Creates a client.
     *
     * @param http connects to the service; its SSL context says which certificates are trusted
     * @param service address of the service, such as {@code http://127.0.0.1:8080}
     * @param token bearer token, or null if the service has none
     * @param timeout time in which the service must begin to answer; a statement may run as long
     */
    public SluiceClient(HttpClient http, URI service, @Nullable String token, Duration timeout) {
        this.http = http;
        this.service = service.toString().replaceAll("/+$", "");
        this.token = token;
        this.timeout = timeout;
    }

    /** Creates a client of a service without a token; it waits for 10 minutes at most. */
    public static SluiceClient of(URI service) {
        return new SluiceClient(HttpClient.newHttpClient(), service, null, Duration.ofMinutes(10));
    }

    /**
     * The result of a statement.
     *
     * @param columns names of the columns; empty without rows
     * @param rows a text per column, null for NULL
     * @param count number of changed rows; 0 for a statement that returns rows
     */
    public record Result(List<String> columns, List<List<@Nullable String>> rows, long count) {
        public Result {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /**
     * Creates an import, which is durable and in the queue then. If the connection breaks, the request is sent once
     * more; that does not create a second import.
     *
     * @param schema DDL of the table
     * @param inputs files, directories, globs or addresses that the service may read
     * @param options other members of the request, such as {@code mode} or {@code append}
     * @return the id of the import
     */
    public String submit(String schema, List<String> inputs, Map<String, ?> options) {
        Map<String, Object> spec = new LinkedHashMap<>(options);
        spec.put("schema", schema);
        spec.put("inputs", inputs);
        HttpRequest request = request("/v1/imports")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .POST(BodyPublishers.ofString(text(spec)))
                .build();
        JsonNode job;
        try {
            job = json(request);
        } catch (UncheckedIOException e) {
            job = json(request);
        }
        return job.path("jobId").asText();
    }

    /** Returns an import as the service reports it now. */
    public JsonNode job(String id) {
        return json(request("/v1/imports/" + encoded(id)).build());
    }

    /**
     * Waits until an import has succeeded, failed or been cancelled. A connection that breaks is opened again.
     *
     * @param observer gets the import whenever it changes, at most twice a second
     * @return the import as it ended; its {@code state} says how
     */
    public JsonNode watch(String id, Consumer<JsonNode> observer) {
        for (int tries = 0; ; tries++) {
            try (Stream<String> lines = lines("/v1/imports/" + encoded(id) + "/events")) {
                for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
                    String line = each.next();
                    if (line.startsWith(EVENT)) {
                        tries = 0;
                        JsonNode job = parsed(line.substring(EVENT.length() - 1));
                        observer.accept(job);
                        if (FINAL.contains(job.path("state").asText())) {
                            return job;
                        }
                    }
                }
            } catch (UncheckedIOException e) {
                if (tries >= WATCH_TRIES) {
                    throw e;
                }
            }
            if (tries >= WATCH_TRIES) {
                throw new UncheckedIOException(
                        new IOException("the events of import " + id + " end before it is final"));
            }
            pause(FIRST_WAIT_MILLIS << tries);
        }
    }

    /** Pauses, resumes or cancels an import; returns it. */
    public JsonNode act(String id, Action action) {
        return json(request("/v1/imports/" + encoded(id) + ":" + action.word)
                .POST(BodyPublishers.noBody())
                .build());
    }

    /** An operation on an import. */
    public enum Action {
        PAUSE("pause"),
        RESUME("resume"),
        CANCEL("cancel");

        private final String word;

        Action(String word) {
            this.word = word;
        }
    }

    /** Returns the names of all readable tables. */
    public List<String> tables() {
        List<String> names = new ArrayList<>();
        json(request("/v1/tables").build())
                .forEach(table -> names.add(table.at("/table/def/name").asText()));
        return names;
    }

    /** Returns a table as the service describes it: columns, indexes, rows. */
    public JsonNode table(String name) {
        return json(request("/v1/tables/" + encoded(name)).build());
    }

    /**
     * Streams the rows of a table in the order of an index. Closing the stream ends the request. A connection that
     * breaks before the last row is an {@link UncheckedIOException} from the stream.
     *
     * @param bounds parameters of the request: {@code index}, {@code limit}, and {@code fromJson} and {@code toJson}
     *     with values of the first columns as a JSON array, the second exclusive
     * @return a text per column, null for NULL; the caller closes it
     */
    public Stream<List<@Nullable String>> rows(String table, Map<String, String> bounds) {
        String query = bounds.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
        return lines("/v1/tables/" + encoded(table) + "/rows" + (query.isEmpty() ? "" : "?" + query))
                .map(SluiceClient::row);
    }

    /** Returns a row by the values of its primary key, or null. */
    public @Nullable List<@Nullable String> row(String table, List<String> key) {
        String query = key.stream().map(value -> "key=" + encoded(value)).collect(Collectors.joining("&"));
        try {
            return row(json(request("/v1/tables/" + encoded(table) + "/rows?" + query)
                            .build())
                    .toString());
        } catch (ServiceException e) {
            if (e.isNotFound() && tables().contains(table)) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Executes one statement; it is never sent twice.
     *
     * @param parameters values of its question marks, null for NULL
     * @throws ServiceException if the statement fails; the code says why
     */
    public Result sql(String statement, @Nullable String... parameters) {
        JsonNode result = json(statement(statement, parameters).build()).at("/results/0");
        requireNoError(result);
        List<String> columns = new ArrayList<>();
        result.path("columns").forEach(name -> columns.add(name.asText()));
        List<List<@Nullable String>> rows = new ArrayList<>();
        result.path("rows").forEach(row -> rows.add(row(row.toString())));
        return new Result(columns, rows, result.path("count").asLong());
    }

    /**
     * Executes one query, and streams its rows while the service finds them. Closing the stream ends the query. The
     * stream throws a {@link ServiceException} if the query fails behind its first rows, and an
     * {@link UncheckedIOException} if the connection breaks.
     *
     * @param parameters values of its question marks, null for NULL
     * @return a text per column, null for NULL; the caller closes it
     * @throws ServiceException if the query is refused
     */
    public Stream<List<@Nullable String>> query(String statement, @Nullable String... parameters) {
        return lines(statement(statement, parameters)
                        .header("Accept", "application/x-ndjson")
                        .build())
                .filter(line -> {
                    if (!line.startsWith("[")) {
                        requireNoError(parsed(line));
                    }
                    return line.startsWith("[");
                })
                .map(SluiceClient::row);
    }

    private HttpRequest.Builder statement(String statement, @Nullable String... parameters) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("statements", List.of(statement));
        if (parameters.length > 0) {
            body.put("parameters", List.of(Arrays.asList(parameters)));
        }
        return request("/v1/sql").header("Content-Type", "application/json").POST(BodyPublishers.ofString(text(body)));
    }

    private static void requireNoError(JsonNode result) {
        if (result.has("error")) {
            throw new ServiceException(
                    HTTP_OK,
                    result.at("/error/code").asText(),
                    result.at("/error/message").asText());
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(service + path)).timeout(timeout);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    private JsonNode json(HttpRequest request) {
        HttpResponse<String> response = send(request, BodyHandlers.ofString());
        if (response.statusCode() > LAST_SUCCESS) {
            throw refused(response.statusCode(), response.body());
        }
        return parsed(response.body());
    }

    private Stream<String> lines(String path) {
        return lines(request(path).build());
    }

    private Stream<String> lines(HttpRequest request) {
        HttpResponse<Stream<String>> response = send(request, BodyHandlers.ofLines());
        if (response.statusCode() > LAST_SUCCESS) {
            try (Stream<String> lines = response.body()) {
                throw refused(response.statusCode(), lines.collect(Collectors.joining("\n")));
            }
        }
        return response.body();
    }

    private <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body) {
        try {
            return http.send(request, body);
        } catch (IOException e) {
            throw new UncheckedIOException(request.uri() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while waiting for " + request.uri(), e));
        }
    }

    private static ServiceException refused(int status, String body) {
        try {
            JsonNode problem = JSON.readTree(body);
            return new ServiceException(
                    status,
                    problem.path("type").asText(),
                    problem.path("detail").asText(body));
        } catch (JsonProcessingException e) {
            return new ServiceException(status, "", body);
        }
    }

    private static JsonNode parsed(String body) {
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the service sent no JSON", e);
        }
    }

    private static List<@Nullable String> row(String line) {
        try {
            return JSON.readValue(line, ROW);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the service sent no row", e);
        }
    }

    private static String text(Object body) {
        try {
            return JSON.writeValueAsString(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the request cannot be written as JSON: " + e.getMessage(), e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted while waiting for an import", e));
        }
    }
}
