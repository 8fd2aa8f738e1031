package io.sluice.cli.service;

import io.sluice.api.node.NodeClient;
import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.imports.BudgetOptions;
import io.sluice.cli.lsm.PageData;
import io.sluice.cli.node.ListenOptions;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.ServingOptions;
import io.sluice.cli.node.Termination;
import io.sluice.cli.node.TokenSource;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterJobs;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.SteadyClock;
import io.sluice.node.StorageNode;
import io.sluice.node.http.TableRoutes;
import io.sluice.service.ImportService;
import io.sluice.service.ServiceSettings;
import io.sluice.service.StateDirectory;
import io.sluice.service.job.JobCatalog;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice serve}: runs imports as jobs over HTTP, until a signal terminates it. */
@Command(
        name = "serve",
        description = {
            "Run an import service: a REST API and a console for imports as jobs, which outlive the process.",
            "With the nodes of a cluster, several services can be started: one runs the jobs, the others stand by and take"
                    + " over when it is lost.",
            "Prints its address on standard output when it is ready, and logs to standard error. SIGTERM and Ctrl-C"
                    + " end it in order; started again, it goes on with its jobs."
        },
        footer = {
            "",
            "Requests must carry a token of --tokens, or the one in --token-file or in the environment variable SLUICE_TOKEN,"
                    + " which nodes are shown. Addresses other than loopback need a token and TLS. docs/how-to/service.md has"
                    + " more."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ServeCommand implements Callable<Integer> {
    private static final long GIVE_UP_SECONDS = 600;
    private static final String STATE = "service";

    private final LocalNodes nodes;
    private final Console console;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Directory of the store to import into; created if missing.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "With --nodes: number of nodes that hold each key range of a table. Default: 1.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Directory of the jobs. Default: in the store; required with --nodes.")
    @Nullable
    Path state;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8080",
            converter = ListenOptions.HostPort.class,
            description = "Address to listen on; port 0 picks a free port. Default: ${DEFAULT-VALUE}.")
    InetSocketAddress listen;

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "File with a line NAME ROLE TOKEN for each client; roles are read, submit and operate; see"
                    + " docs/how-to/security.md. The token of --token-file has role operate.")
    @Nullable
    Path tokens;

    @Mixin
    ListenOptions listening = new ListenOptions();

    @Option(
            names = "--allow-root",
            paramLabel = "DIR|URL",
            description = "Jobs may read files below this directory, or addresses that begin so, such as s3://BUCKET/."
                    + " Can be given several times. Default: nothing.")
    List<String> roots = new ArrayList<>();

    @Option(
            names = "--s3-endpoint",
            paramLabel = "URL",
            description = "Object store that jobs may name as s3.endpoint; requests to it are signed with the service's"
                    + " key. Can be given several times. Default: none but AWS.")
    List<URI> endpoints = new ArrayList<>();

    @Option(names = "--jobs", paramLabel = "N", description = "Number of jobs that run in parallel. Default: 2.")
    int slots = 2;

    @Option(names = "--queue", paramLabel = "N", description = "Limit of jobs in the queue. Default: 1000.")
    int queueLimit = ServiceSettings.USUAL_QUEUE_LIMIT;

    @Mixin
    ServingOptions resources;

    @Mixin
    BudgetOptions budget;

    public ServeCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        remote.check(store);
        if (store == null && resources.given()) {
            throw new BadInputException(
                    "--block-cache, --row-cache and --disk-reserve need --store: nodes have their own");
        }
        Path jobs = stateDirectory();
        HttpSettings http = new HttpSettings(
                listen,
                TokenSource.read(remote.tokenFile(), System.getenv(TokenSource.VARIABLE), tokens),
                listening.tls());
        ClusterBody cluster = store == null ? sharedCluster() : null;
        // Handle the termination signal before the store is opened.
        try (Termination end = Termination.awaited();
                Served served = open();
                // Often in the store, which must be new or empty before.
                StateDirectory directory = StateDirectory.open(jobs)) {
            if (cluster == null) {
                serve(http, directory, served, end);
            } else {
                try (ClusterJobs shared = new ClusterJobs(cluster, remote::settings)) {
                    new Failover(directory, shared, remote::settings, limits(), console::log)
                            .run(http, end, (at, catalog) -> start(at, directory, catalog, served), this::ready);
                }
            }
        }
        return 0;
    }

    /**
     * The cluster of the nodes; null if they are in none.
     *
     * @throws OperationFailedException when no node answers: this service would run jobs beside the cluster's services
     */
    private @Nullable ClusterBody sharedCluster() {
        try {
            return remote.named().knownCluster();
        } catch (OperationFailedException e) {
            throw new OperationFailedException(
                    "no node of --nodes answers, so this service cannot learn whether it shares jobs with the services of"
                            + " a cluster; it was not started. Start a node, then this service. The last one: "
                            + e.getMessage(),
                    e);
        }
    }

    private void serve(HttpSettings http, StateDirectory directory, Served served, Termination end)
            throws InterruptedException {
        try (ImportService service = start(http, directory, null, served)) {
            ready(service.url());
            end.await();
            console.log("closing; jobs under way go on when the service is started again");
        }
    }

    private ImportService start(
            HttpSettings http, StateDirectory directory, @Nullable JobCatalog catalog, Served served) {
        ServiceSettings settings = new ServiceSettings(
                directory,
                catalog,
                new RunSettings(slots, budget.memoryBytes(), budget.workers(), version()),
                queueLimit,
                new SourceRoots(roots, endpoints),
                http,
                limits(),
                Clock.systemUTC());
        return ImportService.start(
                settings,
                target(served.importing, directory),
                (routes, audited) -> TableRoutes.add(routes, audited, served.tables, served.sql));
    }

    private ServerLimits limits() {
        return ServerLimits.defaults().withConnections(listening.limits());
    }

    private static String version() {
        String version = ServeCommand.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }

    private Path stateDirectory() {
        if (queueLimit < 1) {
            throw new BadInputException("--queue " + queueLimit + ": must be at least 1");
        }
        if (replicas != null && !remote.given()) {
            throw new BadInputException("--replicas needs --nodes");
        }
        if (state != null) {
            return state;
        }
        if (store == null) {
            throw new BadInputException("--state DIR is missing: with --nodes there is no store to keep jobs in");
        }
        return store.resolve(STATE);
    }

    /**
     * The store or the nodes whose tables are served.
     *
     * @param importing for jobs
     * @param tables for readers; a cluster, because a store may hold a part of a table only
     * @param sql executes statements on them
     */
    private record Served(NodeClient importing, NodeClient tables, SqlEngine sql) implements AutoCloseable {
        @Override
        public void close() {
            sql.close();
            tables.close();
            importing.close();
        }
    }

    private Served open() {
        if (store != null) {
            LocalNodes.ensureNoMember(store);
            StorageNode node = nodes.openForServing(store, resources.settings(budget.processBytes()));
            return new Served(
                    node, new Cluster(Map.of(store.toString(), node), 1), SqlEngine.on(node, SqlSettings.defaults()));
        }
        return new Served(
                remote.named().forImportAndReads(replicas, TimeUnit.SECONDS.toMillis(GIVE_UP_SECONDS)),
                remote.named().forReads(),
                SqlEngine.onNodes(remote.named().participants(), SqlSettings.forNodes(), new SteadyClock()));
    }

    private Target target(NodeClient client, StateDirectory directory) {
        List<RemoteSettings> remotes = store == null ? remote.named().settings() : List.of();
        return new Target(
                client,
                Math.max(1, remotes.size()),
                client instanceof StorageNode node ? node.workDirectory() : directory.temporary(),
                store,
                table -> history(remotes, table),
                () -> client instanceof StorageNode node
                        ? NodeProbe.embedded(node, String.valueOf(store))
                        : NodeProbe.remote(remote, remotes));
    }

    /** The history of a table's LSM tree; of several nodes, of the first that has something of the table. */
    private @Nullable String history(List<RemoteSettings> remotes, String table) {
        try {
            if (store != null) {
                return PageData.ofStore(store, table);
            }
        } catch (BadInputException e) {
            // Nothing has happened to the table yet.
            return null;
        }
        for (RemoteSettings each : remotes) {
            try {
                return PageData.ofNode(each, table);
            } catch (BadInputException | OperationFailedException e) {
                // Another node may have it, or respond.
            }
        }
        return null;
    }

    private void ready(String url) {
        if (roots.isEmpty()) {
            console.log("no job can read anything: name directories or addresses with --allow-root");
        }
        try (Output out = console.output()) {
            out.line("ready " + url);
        }
    }
}
