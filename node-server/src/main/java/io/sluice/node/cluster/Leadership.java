package io.sluice.node.cluster;

import java.io.IOException;
import java.util.Set;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/**
 * Whether a server leads its group at a moment. A leader of Ratis 3.3 answers reads without asking the voters again if
 * it committed nothing since the last answer ({@code ReadIndexHeartbeats.ackedCommitIndex}), so also for as long as it
 * has not noticed that they elected another one.
 *
 * @param unheardMillis time since most voters have answered a leader; 0 for another server
 */
record Leadership(long term, boolean leads, long unheardMillis) {
    static Leadership of(RaftServer.Division division) throws IOException {
        // Before the role: a leader of a later term is not taken for one of this.
        long term = division.getInfo().getCurrentTerm();
        RoleInfoProto role = division.getInfo().getRoleInfoProto();
        return new Leadership(term, role.hasLeaderInfo(), unheardMillis(division, role));
    }

    private static long unheardMillis(RaftServer.Division division, RoleInfoProto role) throws IOException {
        Set<RaftPeerId> voters = RaftNode.ids(division.getRaftConf().getCurrentPeers());
        // With this node, half of the voters and one more.
        int others = voters.size() / 2;
        return !role.hasLeaderInfo() || others == 0
                ? 0
                : role.getLeaderInfo().getFollowerInfoList().stream()
                        .filter(follower -> voters.contains(
                                RaftPeerId.valueOf(follower.getId().getId())))
                        .mapToLong(ServerRpcProto::getLastRpcElapsedTimeMs)
                        .sorted()
                        .skip(others - 1)
                        .findFirst()
                        .orElse(0);
    }

    /**
     * Whether a read was valid that began after the other moment and ended before this one, as far as this server
     * knows: a voter that has answered within an election's time has elected no other leader.
     */
    boolean confirms(Leadership before) {
        return term == before.term && leads == before.leads && unheardMillis < ConsensusServer.ELECTION_MILLIS;
    }
}
