package io.sluice.node.cluster;

import io.sluice.model.thread.Daemons;
import io.sluice.node.cluster.ConsensusServer.Joined;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/**
 * New connections to members that have not answered for some time. While packets are lost, the kernel sends the next
 * ones after 0.2 s, 0.4 s, and so on up to two minutes; so an old connection stays useless for as long as the loss took
 * when it has ended. Ratis checks its connections every ten minutes only (its {@code GrpcStubPool}). For one thread.
 */
final class Reconnections {
    /** Several elections' time, so that a member which is slow once keeps its connection. */
    private static final long SILENT_MILLIS = 5_000;

    /** Times at which the connections to members were last renewed. */
    private final Map<RaftPeerId, Long> renewedNanos = new HashMap<>();

    /**
     * Renews the connections to members that do not answer, each at most once in {@value #SILENT_MILLIS} ms. The leader
     * knows which these are; for another node without contact all others may be.
     *
     * @param contact whether the node has contact to most members
     */
    void renew(Joined joined, boolean contact) throws IOException {
        RaftServer.Division division = joined.division();
        for (RaftPeerId peer : silent(division, contact)) {
            Long renewed = renewedNanos.get(peer);
            if (renewed == null || System.nanoTime() - renewed > TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS)) {
                renewedNanos.put(peer, System.nanoTime());
                // The new connection can be used at once; closing the old one takes seconds.
                Daemons.thread("cluster-reconnect", () -> renew(joined.server(), peer))
                        .start();
            }
        }
    }

    private static List<RaftPeerId> silent(RaftServer.Division division, boolean contact) throws IOException {
        RoleInfoProto role = division.getInfo().getRoleInfoProto();
        if (role.hasLeaderInfo()) {
            return silent(role, SILENT_MILLIS);
        }
        RaftPeerId self = division.getId();
        return contact
                ? List.of()
                : division.getGroup().getPeers().stream()
                        .map(RaftPeer::getId)
                        .filter(peer -> !peer.equals(self))
                        .toList();
    }

    /** The members that have not answered the leader for some time; none if the role is not that of the leader. */
    static List<RaftPeerId> silent(RoleInfoProto role, long millis) {
        return role.getLeaderInfo().getFollowerInfoList().stream()
                .filter(follower -> follower.getLastRpcElapsedTimeMs() > millis)
                .map(follower -> RaftPeerId.valueOf(follower.getId().getId()))
                .toList();
    }

    private static void renew(RaftServer server, RaftPeerId peer) {
        try {
            server.getServerRpc().handleException(peer, new IOException("no answer"), true);
        } catch (RuntimeException e) {
            // The server was closed meanwhile.
            return;
        }
    }
}
