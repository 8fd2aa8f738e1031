package io.sluice.client.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The replicated log of a cluster, as clients write to it: through the leader, which they find. Thread-safe. */
public final class ClusterLog {
    /** Twelve waits of 0.2 to 2 s: 9 to 18 s, in which the other nodes elect a leader. */
    private static final Backoff BACKOFF = new Backoff(200, 2_000, 12);

    /** Nodes answer the question for their cluster at once; the leader replicates a change within its own bound. */
    private static final long PROBE_MILLIS = 2_000;

    private final Function<String, RemoteSettings> access;
    private volatile ClusterBody known;

    /**
     * Creates a client of the log.
     *
     * @param known the cluster, as one of its nodes sees it
     * @param access connection settings to the node at a URL
     */
    public ClusterLog(ClusterBody known, Function<String, RemoteSettings> access) {
        this.known = known;
        this.access = access;
    }

    /** The number of the cluster's nodes. */
    int members() {
        return known.members().size();
    }

    /** All nodes by id, each described by its name and address. */
    Map<String, String> nodes() {
        Map<String, String> nodes = new LinkedHashMap<>();
        known.members()
                .forEach(member -> nodes.put(
                        member.id(),
                        described(member, access.apply(member.url()).name())));
        return nodes;
    }

    /** Describes a node by its name and address. */
    String describe(String address) {
        return known.members().stream()
                .filter(member -> access.apply(member.url()).name().equals(address))
                .map(member -> described(member, address))
                .findFirst()
                .orElse(address);
    }

    private static String described(ClusterBody.Member member, String address) {
        return member.name().equals(address) ? address : member.name() + " (" + address + ")";
    }

    /**
     * Replicates a change. On return, most members have it durably; each applies it soon, or when it is back.
     *
     * @throws ChangeRefusedException when it contradicts an earlier one; if it was repeated, that may be itself
     * @throws OperationFailedException when no leader takes it within some 20 seconds; it may take effect all the same
     */
    public void write(ClusterChange change) {
        SluiceException last = new OperationFailedException("the cluster has no leader; most of its nodes must be up");
        for (int tries = 1; tries <= BACKOFF.attempts(); tries++) {
            ClusterBody.Member leader = known.leading();
            if (leader != null) {
                try (RemoteNode node = node(leader.url())) {
                    known = node.change(change);
                    return;
                } catch (BadInputException | ChangeRefusedException e) {
                    throw e;
                } catch (SluiceException e) {
                    last = e;
                }
            }
            Backoff.sleep(BACKOFF.jitteredMillis(tries), "waiting for the leader of the cluster");
            refresh();
        }
        throw new OperationFailedException("the cluster did not take a change: " + last.getMessage(), last);
    }

    /** Learns of members and leader from any node that knows a leader. */
    private void refresh() {
        for (ClusterBody.Member member : known.members()) {
            ClusterBody now = ask(member);
            if (now != null && now.leader() != null) {
                known = now;
                return;
            }
        }
    }

    private @Nullable ClusterBody ask(ClusterBody.Member member) {
        try (RemoteNode node = node(member.url())) {
            return node.cluster();
        } catch (SluiceException e) {
            // Another one may answer.
            return null;
        }
    }

    private RemoteNode node(String url) {
        return new RemoteNode(access.apply(url).withPatience(PROBE_MILLIS, PROBE_MILLIS));
    }
}
