package io.sluice.it.crash;

import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.SluiceProcess;
import io.sluice.testing.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code sluice node} in a process of its own, that can be killed and started again at the same place. */
final class KillableNode implements AutoCloseable {
    private static final Pattern TAKEN = Pattern.compile("PUT /v1/ssts/(\\S+) 20[01] ");

    private final Path directory;
    private final Path store;
    private final List<SluiceProcess> runs = new ArrayList<>();
    private final String listen;

    private KillableNode(Path directory, String name) throws IOException {
        this.directory = directory;
        store = directory.resolve(name);
        listen = FreePorts.nextAddress();
    }

    /** Starts a node that ends where a point of an import is reached; empty: it does not. */
    static KillableNode start(Path directory, String name, String haltAt) throws IOException {
        KillableNode node = new KillableNode(directory, name);
        node.run(haltAt);
        return node;
    }

    private void run(String haltAt) throws IOException {
        List<String> options = haltAt.isEmpty() ? List.of() : HaltingSluice.at(haltAt);
        runs.add(SluiceProcess.start(directory, options, "node", "--store", store.toString(), "--listen", listen));
    }

    /** Waits until it is ready; returns its address. */
    String address() throws IOException, InterruptedException {
        return current().firstLine().substring("ready http://".length());
    }

    SluiceProcess current() {
        return runs.get(runs.size() - 1);
    }

    /** Starts it again, at the address that it had; it ends where a point is reached, or if empty does not. */
    void restart(String haltAt) throws IOException, InterruptedException {
        run(haltAt);
        address();
    }

    /** Ids of all SSTs that the node acknowledged, from its logs. */
    List<UUID> acknowledged() throws IOException {
        List<UUID> ids = new ArrayList<>();
        for (SluiceProcess each : runs) {
            Matcher taken = TAKEN.matcher(each.err());
            while (taken.find()) {
                ids.add(UUID.fromString(taken.group(1)));
            }
        }
        return ids;
    }

    /** The node's response to a query for SSTs of an import. */
    HttpResponse<String> ask(UUID importId, List<UUID> ssts) throws IOException, InterruptedException {
        String ids = String.join(",", ssts.stream().map(id -> "\"" + id + "\"").toList());
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + listen + "/v1/ingest"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"importId\":\"" + importId + "\",\"ssts\":[" + ids + "]}"))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Whether a table can be read. */
    boolean has(String table) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + listen + "/v1/tables/" + table))
                .build();
        return HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                == 200;
    }

    @Override
    public void close() throws IOException {
        current().kill();
        try {
            current().await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
