package io.sluice.cli.node;

import io.sluice.client.RemoteSettings;
import io.sluice.http.HttpSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.node.cluster.ClusterMember;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a node that is in a cluster. */
final class ClusterOptions {
    @Option(
            names = "--cluster",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Nodes of the cluster to found or join, this node's --listen address among them. The first"
                    + " founds it when all others answer.")
    List<String> nodes = List.of();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "With --cluster: name of the node, unique in the cluster. Default: its address.")
    @Nullable
    String name;

    @Option(
            names = "--raft-listen",
            paramLabel = "HOST:PORT",
            converter = ListenOptions.HostPort.class,
            description =
                    "With --cluster: address for the consensus; other than loopback with TLS only. Default: the port after"
                            + " that of --listen.")
    @Nullable
    InetSocketAddress raft;

    boolean given() {
        return !nodes.isEmpty();
    }

    /**
     * Checks that the store of a member is not served without its cluster. Its tables may be outdated, and the others
     * would not know of changes here.
     *
     * @throws BadInputException if it is, as after a start without {@code --cluster}
     */
    void ensureGivenFor(Path store) {
        if (!given() && LocalNodes.isOfMember(store)) {
            throw new BadInputException("--store " + store
                    + ": is the store of a member of a cluster; start it with --cluster, which names some members and"
                    + " this node");
        }
    }

    /** The listed nodes without the one that listens at an address. */
    List<String> others(InetSocketAddress listen) {
        return nodes.stream().filter(node -> !isAt(node, listen)).toList();
    }

    private static boolean isAt(String node, InetSocketAddress listen) {
        return RemoteSettings.of(node).name().equals(listen.getHostString() + ":" + listen.getPort());
    }

    private static boolean isUnfit(int character) {
        return Character.isWhitespace(character) || Character.isISOControl(character);
    }

    /**
     * Returns the settings of the membership.
     *
     * @param tls files of the node's server, or null
     * @param trusted certificates of other nodes, or null
     * @throws BadInputException if the name is not a word, the node's own address is not listed, its address for the
     *     consensus is, or one of the files is missing
     */
    ClusterMember.Settings settings(
            InetSocketAddress listen,
            Path store,
            HttpSettings.@Nullable TlsFiles tls,
            @Nullable Path trusted,
            ClusterMember.Settings.Access access) {
        if (name != null && (name.isEmpty() || name.codePoints().anyMatch(ClusterOptions::isUnfit))) {
            throw new BadInputException("--name: must be a word, without spaces and control characters");
        }
        String own = listen.getHostString() + ":" + listen.getPort();
        if (nodes.stream().noneMatch(node -> isAt(node, listen))) {
            throw new BadInputException("--cluster " + String.join(",", nodes) + ": must name this node, too: " + own
                    + ", as --listen has it");
        }
        InetSocketAddress consensus =
                raft == null ? new InetSocketAddress(listen.getAddress(), listen.getPort() + 1) : raft;
        if (nodes.stream().anyMatch(node -> isAt(node, consensus))) {
            throw new BadInputException("--cluster " + String.join(",", nodes) + ": " + consensus.getHostString() + ":"
                    + consensus.getPort() + " is this node's address for the consensus, too; leave the port after each"
                    + " one free, such as 7001, 7011 and 7021 on one machine, or choose another by --raft-listen");
        }
        if (tls != null && trusted == null) {
            throw new BadInputException("--cluster with --tls-cert needs --peer-trust: the certificates of the other"
                    + " nodes, which members check of each other");
        }
        return new ClusterMember.Settings(
                name == null ? own : name,
                nodes,
                consensus,
                store.resolve(LocalNodes.CLUSTER),
                tls == null || trusted == null
                        ? null
                        : new ClusterMember.Settings.Tls(tls.certificate(), tls.key(), trusted),
                access,
                ClusterMember.THAW_AFTER_MILLIS,
                ClusterMember.CONTACT_MILLIS);
    }
}
