package io.sluice.node.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.BeginBody;
import io.sluice.api.wire.ImportStep;
import io.sluice.api.wire.SstHeaders;
import io.sluice.http.BearerToken;
import io.sluice.http.HttpSettings;
import io.sluice.http.Tokens;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.TestSsts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A node that listens on loopback, and a client's view of it. */
final class ServedNode implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final StorageNode node;
    final NodeServer server;
    private final SqlEngine engine;
    final HttpClient client;
    private final Path files;
    private boolean closed;

    ServedNode(Path directory, NodeSettings nodeSettings, NodeLimits limits, @Nullable BearerToken token)
            throws IOException {
        this(directory, nodeSettings, limits, token, HttpClient.Version.HTTP_1_1);
    }

    ServedNode(
            Path directory,
            NodeSettings nodeSettings,
            NodeLimits limits,
            @Nullable BearerToken token,
            HttpClient.Version version)
            throws IOException {
        files = Files.createDirectories(directory.resolve("files"));
        node = StorageNode.open(directory.resolve("store"), nodeSettings);
        engine = SqlEngine.on(node, SqlSettings.defaults());
        server = NodeServer.start(
                node, engine, new HttpSettings(loopback(), token == null ? null : Tokens.of(token), null), limits);
        client = HttpClient.newBuilder().version(version).build();
    }

    static ServedNode open(Path directory) throws IOException {
        return new ServedNode(directory, NodeSettings.defaults(), NodeLimits.defaults(), null);
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    Socket socket() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(server.address());
        return socket;
    }

    /** The import of a table, begun. */
    Table begin(UUID importId, TableDef def, IngestTiming timing) throws Exception {
        HttpResponse<String> answer = post(
                ApiPaths.IMPORTS,
                JSON.writeValueAsString(new BeginBody(importId, def, null, timing, 0, null)),
                Map.of());
        if (answer.statusCode() >= 300) {
            throw new AssertionError(answer.body());
        }
        return JSON.treeToValue(JSON.readTree(answer.body()).get("table"), Table.class);
    }

    /** SSTs of rows, one per index. */
    List<SstFile> ssts(Table table, List<List<@Nullable String>> rows) throws Exception {
        return TestSsts.build(table, rows, files);
    }

    /** The headers that say the truth about an SST. */
    static Map<String, String> headers(SstFile sst, UUID importId, long attempt) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(Files.readAllBytes(sst.path()));
        return SstHeaders.of(sst, importId, attempt, 0, (int) crc.getValue()).write();
    }

    HttpResponse<String> put(SstFile sst, UUID importId) throws Exception {
        return put(sst.id(), Files.readAllBytes(sst.path()), headers(sst, importId, 1));
    }

    HttpResponse<String> put(UUID id, byte[] body, Map<String, String> headers) throws Exception {
        return send("PUT", ApiPaths.sst(id), BodyPublishers.ofByteArray(body), headers);
    }

    HttpResponse<String> step(UUID importId, ImportStep step, String body) throws Exception {
        return post(ApiPaths.step(importId, step), body, Map.of(ApiHeaders.ATTEMPT, "1"));
    }

    HttpResponse<String> post(String path, String body, Map<String, String> headers) throws Exception {
        return send("POST", path, BodyPublishers.ofString(body), headers);
    }

    HttpResponse<String> get(String path) throws Exception {
        return send("GET", path, BodyPublishers.noBody(), Map.of());
    }

    HttpResponse<String> send(String method, String path, BodyPublisher body, Map<String, String> headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(PATIENCE);
        headers.forEach(request::header);
        return client.send(request.method(method, body).build(), BodyHandlers.ofString());
    }

    static JsonNode json(HttpResponse<String> answer) throws IOException {
        return JSON.readTree(answer.body());
    }

    /** The kind of a problem, or the whole body if it is not a problem. */
    static String kind(HttpResponse<String> answer) throws IOException {
        JsonNode type = json(answer).path("type");
        return type.isMissingNode() ? answer.body() : type.asText().replace("urn:sluice:problem:", "");
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            server.close();
            engine.close();
            node.close();
        }
    }
}
