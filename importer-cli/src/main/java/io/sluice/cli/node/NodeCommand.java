package io.sluice.cli.node;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Outcome;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteSettings;
import io.sluice.http.HttpSettings;
import io.sluice.model.error.SluiceException;
import io.sluice.node.StorageNode;
import io.sluice.node.cluster.ClusterMember;
import io.sluice.node.http.HttpPeers;
import io.sluice.node.http.NodeLimits;
import io.sluice.node.http.NodeServer;
import io.sluice.node.http.SstSources;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice node}: serves a store over HTTP until a signal terminates it. */
@Command(
        name = "node",
        description = {
            "Run a storage node: serve a store over HTTP.",
            "Prints its address on standard output when it is ready, and logs to standard error. SIGTERM and Ctrl-C shut it down cleanly."
        },
        footer = {
            "",
            "Without --token-file, the token is taken from the environment variable SLUICE_TOKEN, if it is set. Addresses other than"
                    + " loopback need a token and TLS."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class NodeCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            required = true,
            description = "Directory of the store; created if missing.")
    Path store;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7001",
            converter = ListenOptions.HostPort.class,
            description = "Address to listen on; port 0 picks a free port. Default: ${DEFAULT-VALUE}.")
    InetSocketAddress listen;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token that requests must carry.")
    @Nullable
    Path tokenFile;

    @Mixin
    ServingOptions resources;

    @Mixin
    ListenOptions listening = new ListenOptions();

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Other nodes of the cluster; https://HOST:PORT for TLS. The node asks only these, with its"
                    + " token, for outcomes of transactions. Default: addresses from requests, on this machine"
                    + " only and without a token.")
    List<String> peers = List.of();

    @Option(
            names = "--peer-trust",
            paramLabel = "FILE",
            description = "PEM file of certificates to trust in requests to other nodes." + " Default: the system's.")
    @Nullable
    Path peerTrust;

    @Option(
            names = "--sst-source",
            split = ",",
            paramLabel = "URL",
            description = "Object stores below which the node reads SSTs of staged sets itself, such as"
                    + " https://sets.s3.eu-west-1.amazonaws.com/nightly/. Default: none; it gets their bytes.")
    List<String> sources = List.of();

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    /** Why this node ends as a member of its cluster; null: it does not. */
    private volatile @Nullable SluiceException ended;

    public NodeCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        cluster.ensureGivenFor(store);
        HttpSettings settings = new HttpSettings(
                listen, TokenSource.read(tokenFile, System.getenv(TokenSource.VARIABLE), null), listening.tls());
        NodeLimits defaults = NodeLimits.defaults();
        NodeLimits limits = defaults.withServer(defaults.server().withConnections(listening.limits()))
                .withSources(SstSources.below(sources));
        // Handle the termination signal before the store is opened.
        try (Termination end = Termination.awaited();
                StorageNode node = nodes.openForServing(store, resources.settings());
                SqlEngine sql = SqlEngine.on(node, SqlSettings.defaults());
                Clustered clustered = clustered(node, sql, end);
                NodeServer server = NodeServer.start(node, sql, settings, limits, peers(), clustered.membership())) {
            ready(server);
            clustered.start(server.url());
            end.await();
            console.log("closing");
        }
        SluiceException why = ended;
        if (why != null) {
            throw why;
        }
        return 0;
    }

    /** The peers share this node's token. */
    private HttpPeers peers() {
        return new HttpPeers(token(), peerTrust, RemoteOptions.urls(peers.isEmpty() ? cluster.others(listen) : peers));
    }

    private @Nullable String token() {
        return TokenSource.text(tokenFile, System.getenv(TokenSource.VARIABLE));
    }

    /** The node's membership in a cluster, if it has one; classes of the consensus are loaded only then. */
    private record Clustered(@Nullable ClusterMember membership) implements AutoCloseable {
        void start(String url) {
            if (membership != null) {
                membership.start(url);
            }
        }

        @Override
        public void close() {
            if (membership != null) {
                membership.close();
            }
        }
    }

    private Clustered clustered(StorageNode node, SqlEngine sql, Termination end) {
        if (!cluster.given()) {
            return new Clustered(null);
        }
        ClusterMember.Settings settings =
                cluster.settings(listen, store, listening.tls(), peerTrust, address -> RemoteSettings.of(address)
                        .withToken(token())
                        .withTrusted(peerTrust));
        return new Clustered(new ClusterMember(settings, node.status().id(), new ClusterMember.Host() {
            @Override
            public void log(String line) {
                console.log(line);
            }

            @Override
            public void moved(int tableId, RangeDirectory directory, List<IndexChecksum> published) {
                node.catalog().move(tableId, directory, published);
            }

            @Override
            public void frozen(long index, Map<Integer, String> owners) {
                node.catalog().freeze(index, owners);
            }

            @Override
            public void importMoved(UUID importId, int tableId, RangeDirectory directory) {
                String done = node.importMoved(importId, tableId, directory);
                if (done != null) {
                    log(done);
                }
            }

            @Override
            public void published(UUID importId, int tableId, List<IndexChecksum> sums) {
                String done = node.publishDecided(importId, tableId, sums);
                if (done != null) {
                    log(done);
                }
            }

            @Override
            public void dropped(int tableId, String name) {
                String done = node.dropDecided(tableId, name);
                if (done != null) {
                    log(done);
                }
            }

            @Override
            public void endDecided(Function<UUID, Outcome> outcomes) {
                Map<UUID, Boolean> unused = sql.participant().endDecided(outcomes);
            }

            @Override
            public @Nullable String failure() {
                return node.store().failure();
            }

            @Override
            public void end(SluiceException why) {
                ended = why;
                end.ask();
            }
        }));
    }

    private void ready(NodeServer server) {
        try (Output out = console.output()) {
            out.line("ready " + server.url());
        }
    }
}
