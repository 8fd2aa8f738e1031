package io.sluice.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
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
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
    private static final String IMPORTS = "/v1/imports";
    private static final String EVENT = "data: {";
    /** Between two events; a service sends a comment after 15 s without one. */
    private static final Duration QUIET = Duration.ofSeconds(45);
    /** Longer than a service takes to restart and to load its imports. */
    private static final long PATIENCE_NANOS = Duration.ofMinutes(2).toNanos();

    private final Connection connection;
    private final Duration timeout;
    private final LongSupplier nanoTime;

    /**
     * Creates a client.
     *
     * @param http connects to the service; its SSL context says which certificates are trusted
     * @param service address of the service, such as {@code http://127.0.0.1:8080}
     * @param token bearer token, or null if the service has none
     * @param timeout time in which the service must begin to respond, and then send the next bytes; a statement may run
     *     as long
     */
    public SluiceClient(HttpClient http, URI service, @Nullable String token, Duration timeout) {
        this(new Connection(http, service, token, timeout), timeout, System::nanoTime);
    }

    SluiceClient(Connection connection, Duration timeout, LongSupplier nanoTime) {
        this.connection = connection;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
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
     * Creates an import, which is durable and in the queue then. The request is sent up to five times if connections
     * break or the service is busy; that does not create a second import.
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
        return submit(JSON.valueToTree(spec)).path("jobId").asText();
    }

    /** As {@link #submit(String, List, Map)}, with the request as openapi.yaml describes it; returns the import. */
    public JsonNode submit(JsonNode spec) {
        return connection.jsonWithRetries(post(IMPORTS, spec)
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .build());
    }

    /** Returns the plan of an import, which is not created. */
    public JsonNode plan(JsonNode spec) {
        return connection.json(post(IMPORTS + "?dryRun=true", spec).build());
    }

    /** Returns an import as the service reports it now. */
    public JsonNode job(String id) {
        return get(job(id, ""));
    }

    /** Returns the resource at a path, such as {@code /v1/imports?state=failed}; openapi.yaml lists them. */
    public JsonNode get(String path) {
        return connection.json(connection.request(path).build());
    }

    /**
     * Waits until an import has succeeded, failed or been cancelled.
     *
     * @param observer gets the import whenever it changes, at most twice a second
     * @return the import as it ended; its {@code state} says how
     * @throws UncheckedIOException if the service has not responded for two minutes
     */
    public JsonNode watch(String id, Consumer<JsonNode> observer) {
        return watchUntil(id, job -> {
            observer.accept(job);
            return FINAL.contains(job.path("state").asText());
        });
    }

    /**
     * Follows the events of an import. Connects again if the service does not respond, because imports survive its
     * restart. Polls the import if the service accepts no more watchers.
     *
     * @param done whether to stop; gets the import whenever it changes
     * @return the import when it was done
     * @throws UncheckedIOException if the service has not responded for two minutes
     * @throws ServiceException if the service refuses, such as when there is no such import, or is busy for so long
     */
    public JsonNode watchUntil(String id, Predicate<JsonNode> done) {
        HttpRequest events = connection
                .request(job(id, "/events"))
                .setHeader("Accept", "text/event-stream")
                .build();
        long heardNanos = nanoTime.getAsLong();
        for (int failures = 0; ; failures++) {
            try {
                if (failures > 0) {
                    Connection.awaitRetry(failures);
                    JsonNode job = job(id);
                    heardNanos = nanoTime.getAsLong();
                    if (done.test(job)) {
                        return job;
                    }
                }
                try (Stream<String> lines = connection.lines(events, QUIET)) {
                    for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
                        String line = each.next();
                        // Also a comment, of a service that has nothing new to say.
                        heardNanos = nanoTime.getAsLong();
                        if (line.startsWith(EVENT)) {
                            JsonNode job = parsed(line.substring(EVENT.length() - 1));
                            failures = 0;
                            if (done.test(job)) {
                                return job;
                            }
                        }
                    }
                }
            } catch (UncheckedIOException e) {
                if (nanoTime.getAsLong() - heardNanos > PATIENCE_NANOS
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            } catch (ServiceException e) {
                if (!e.isBusy() || nanoTime.getAsLong() - heardNanos > PATIENCE_NANOS) {
                    throw e;
                }
            }
        }
    }

    /** Pauses, resumes or cancels an import; returns it. */
    public JsonNode act(String id, Action action) {
        // Asked twice, it does what it does when asked once.
        return connection.jsonWithRetries(connection
                .request(job(id, ":" + action.word))
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
        get("/v1/tables").forEach(table -> names.add(table.at("/table/def/name").asText()));
        return names;
    }

    /** Returns a table as the service describes it: columns, indexes, rows. */
    public JsonNode table(String name) {
        return get("/v1/tables/" + encoded(name));
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
        String path = "/v1/tables/" + encoded(table) + "/rows" + (query.isEmpty() ? "" : "?" + query);
        return connection.lines(connection.request(path).build(), timeout).map(SluiceClient::row);
    }

    /** Returns a row by the values of its primary key, or null. */
    public @Nullable List<@Nullable String> row(String table, List<String> key) {
        String query = key.stream().map(value -> "key=" + encoded(value)).collect(Collectors.joining("&"));
        try {
            return row(get("/v1/tables/" + encoded(table) + "/rows?" + query).toString());
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
        JsonNode result =
                connection.json(statement(statement, parameters).build()).at("/results/0");
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
        return connection
                .lines(
                        statement(statement, parameters)
                                .setHeader("Accept", "application/x-ndjson")
                                .build(),
                        timeout)
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
        return post("/v1/sql", JSON.valueToTree(body));
    }

    private static void requireNoError(JsonNode result) {
        if (result.has("error")) {
            throw ServiceException.ofStatement(
                    result.at("/error/code").asText(),
                    result.at("/error/message").asText());
        }
    }

    private HttpRequest.Builder post(String path, JsonNode body) {
        return connection
                .request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString()));
    }

    private static String job(String id, String rest) {
        return IMPORTS + "/" + encoded(id) + rest;
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

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
