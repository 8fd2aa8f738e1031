package io.sluice.cli.remote;

import io.sluice.api.node.NodeClient;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.node.http.HttpPeers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Storage nodes on a network, in place of a store in this process: options of every command that takes one. */
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
public final class RemoteOptions {
    @Option(
            names = "--nodes",
            split = ",",
            paramLabel = "HOST:PORT",
            description =
                    "Storage nodes to use instead of a store; https://HOST:PORT for TLS. One node of a cluster stands"
                            + " for all.")
    @Nullable
    List<String> nodes;

    @Mixin
    AccessOptions access;

    private @Nullable NamedNodes named;

    /** Whether nodes were named. */
    public boolean given() {
        return nodes != null;
    }

    /** The file that holds the token, or null. */
    public @Nullable Path tokenFile() {
        return access.tokenFile;
    }

    /** The nodes as they were named; none if they were not. */
    public List<String> names() {
        return nodes == null ? List.of() : List.copyOf(nodes);
    }

    /**
     * Checks that there is one place and not two.
     *
     * @throws BadInputException when neither a store nor nodes were named, or both
     */
    public void check(@Nullable Path store) {
        if ((store == null) == (nodes == null)) {
            throw new BadInputException("give either --store DIR or --nodes HOST:PORT,HOST:PORT…");
        }
    }

    /**
     * Addresses of nodes with their schemes.
     *
     * @throws BadInputException when one cannot be read
     */
    public static List<String> urls(List<String> addresses) {
        return addresses.stream()
                .map(address -> RemoteSettings.of(address).toString())
                .toList();
    }

    /**
     * Access of this process's node to its peers, with the same token and certificates, to ask for outcomes.
     *
     * @param peers addresses of those that may be asked
     */
    public HttpPeers peers(List<String> peers) {
        return new HttpPeers(access.token(), access.trusted, urls(peers));
    }

    /** The named nodes, and the cluster that they are in; asked once. */
    public NamedNodes named() {
        NamedNodes found = named;
        if (found == null) {
            found = new NamedNodes(names(), this::settings);
            named = found;
        }
        return found;
    }

    /**
     * Clients for an import that begins: without the nodes of the cluster that do not answer and were not named, if
     * most nodes answer, and as many as it has replicas. Two such imports have a node in common, which refuses the
     * second table of one name.
     *
     * @param left receives a line about each node that is left out
     */
    public NodeClient openForNewImport(@Nullable Integer replicas, long patienceMillis, Consumer<String> left) {
        ClusterBody members = named().clusterForImport(patienceMillis, replicas == null ? 1 : replicas);
        if (members == null) {
            return named().forImport(named().settings(), replicas, patienceMillis);
        }
        List<RemoteSettings> all = named().settings();
        List<RemoteSettings> named = names().stream().map(this::settings).toList();
        Set<String> silent = new HashSet<>();
        NamedNodes.ask(
                all.stream()
                        .filter(one ->
                                named.stream().noneMatch(each -> each.name().equals(one.name())))
                        .toList(),
                answer -> answer.isInCluster() || silent.add(answer.node().name()));
        List<RemoteSettings> up =
                all.stream().filter(one -> !silent.contains(one.name())).toList();
        if (up.size() * 2 <= all.size()) {
            throw new OperationFailedException("only " + up.size() + " of the cluster's " + all.size()
                    + " nodes answer; an import needs most of them: 'sluice cluster status' shows which do not");
        }
        if (replicas != null && replicas > up.size()) {
            // The import begins with them, too, so that its table lacks their replicas until a repair.
            return named().forImport(all, replicas, patienceMillis);
        }
        for (ClusterBody.Member member : members.members()) {
            String name = settings(member.url()).name();
            if (up.stream().noneMatch(one -> one.name().equals(name))) {
                left.accept("node " + member.name() + " (" + name + ") does not answer; the other " + up.size()
                        + " nodes take its share");
            }
        }
        return named().forImport(up, replicas, patienceMillis);
    }

    /** The token and certificates. */
    public AccessOptions access() {
        return access;
    }

    /**
     * Returns the connection settings of a node or service, for reading.
     *
     * @throws BadInputException when the address cannot be read
     */
    public RemoteSettings settings(String address) {
        Path trusted = access.trusted;
        if (trusted != null && !Files.isReadable(trusted)) {
            throw new BadInputException("--tls-trust: cannot read " + trusted);
        }
        return RemoteSettings.of(address).withToken(access.token()).withTrusted(trusted);
    }

    /**
     * The cluster of the first named node that is in one.
     *
     * @throws BadInputException when no node was named, or those that answer are in no cluster
     */
    public ClusterBody requireCluster() {
        if (!given()) {
            throw new BadInputException("--nodes HOST:PORT is missing: name a node of the cluster");
        }
        ClusterBody found = named().cluster();
        if (found == null) {
            throw new BadInputException(
                    "node " + String.join(", ", names())
                            + " is in no cluster, or does not answer; nodes that were started with --cluster are in one some seconds later");
        }
        return found;
    }

    /** Forgets what the nodes have answered: the next question about their cluster asks them again. */
    public void forget() {
        named = null;
    }

    /** The cluster as it is now, from any of its nodes; the last answer if none answers. */
    public ClusterBody askAgain() {
        ClusterBody last = requireCluster();
        for (ClusterBody.Member member : last.members()) {
            try {
                ClusterBody now = NamedNodes.ask(settings(member.url()));
                if (now != null && now.leader() != null) {
                    return now;
                }
            } catch (SluiceException e) {
                // Another one may answer.
            }
        }
        return last;
    }
}
