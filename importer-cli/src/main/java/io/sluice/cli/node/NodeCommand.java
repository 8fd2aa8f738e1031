package io.sluice.cli.node;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.http.HttpSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.http.NodeLimits;
import io.sluice.node.http.NodeServer;
import io.sluice.node.http.PeerAccess;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice node}: serves a store over HTTP until it is told to end. */
@Command(
        name = "node",
        description = {
            "Run a storage node: serve a store over HTTP.",
            "Prints its address on standard output when it is ready, and logs to standard error. SIGTERM and Ctrl-C end it in order."
        },
        footer = {
            "",
            "Without --token-file, the token is taken from the environment variable SLUICE_TOKEN, if it is set. Addresses other than"
                    + " loopback need a token and TLS."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class NodeCommand implements Callable<Integer> {
    private final StoreNodes nodes;
    private final Console console;

    @Option(names = "--store", paramLabel = "DIR", required = true, description = "The store; made if there is none.")
    Path store;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:7001",
            converter = HostPort.class,
            description = "Where to listen; port 0 is any that is free. Default: ${DEFAULT-VALUE}.")
    InetSocketAddress listen;

    @Option(names = "--token-file", paramLabel = "FILE", description = "Holds the token that requests must carry.")
    @Nullable
    Path tokenFile;

    @Mixin
    ServingOptions resources;

    @Mixin
    TlsOptions tls;

    @Mixin
    ConnectionOptions connections = new ConnectionOptions();

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "The other nodes of the cluster; https://HOST:PORT for TLS. They alone are asked, with the"
                    + " token, what became of a transaction. Default: addresses that requests name, on this machine"
                    + " only and without a token.")
    List<String> peers = List.of();

    @Option(
            names = "--peer-trust",
            paramLabel = "FILE",
            description =
                    "Certificates of other nodes to trust, in PEM, when one is asked what became of a transaction."
                            + " Default: those of the system.")
    @Nullable
    Path peerTrust;

    public NodeCommand(StoreNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        HttpSettings settings =
                new HttpSettings(listen, TokenSource.read(tokenFile, System.getenv(TokenSource.VARIABLE)), tls.files());
        NodeLimits defaults = NodeLimits.defaults();
        NodeLimits limits = defaults.withServer(defaults.server().withConnections(connections.limits()));
        // The signal that ends the process is awaited by somebody before the store is open.
        try (Termination end = Termination.awaited();
                StorageNode node = nodes.openForServing(store, resources.serving());
                NodeServer server = NodeServer.start(node, settings, limits, peers())) {
            ready(server);
            end.await();
            console.err().println("sluice: closing");
        }
        return 0;
    }

    /** Nodes of one cluster want the same token. */
    private PeerAccess peers() {
        return new PeerAccess(
                TokenSource.text(tokenFile, System.getenv(TokenSource.VARIABLE)), peerTrust, RemoteOptions.urls(peers));
    }

    private void ready(NodeServer server) {
        try (Output out = console.output()) {
            out.line("ready " + server.url());
        }
    }
}
