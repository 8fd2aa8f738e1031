package io.sluice.client.cluster;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ShipAnswer;
import io.sluice.model.kv.KvChecksum;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** An import's session on one node, with the checksums of what the node has taken. */
final class MemberSession {
    private final Member member;
    private final ImportSession session;
    private final Map<Integer, KvChecksum> taken = new HashMap<>();
    /** Ids that are in the checksums already, since the same SST may be delivered again. */
    private final Set<UUID> counted = new HashSet<>();

    private final LongAdder shippingNanos = new LongAdder();

    MemberSession(Member member, ImportSession session) {
        this.member = member;
        this.session = session;
    }

    Member member() {
        return member;
    }

    ImportSession session() {
        return session;
    }

    /** Runs a delivery and counts what the node takes. Deferrals and refusals get the node's name. */
    ShipAnswer deliver(UUID id, int indexId, KvChecksum sum, Supplier<ShipAnswer> delivery) {
        long start = System.nanoTime();
        ShipAnswer answer = delivery.get();
        shippingNanos.add(System.nanoTime() - start);
        if (answer instanceof ShipAnswer.Taken) {
            synchronized (taken) {
                if (counted.add(id)) {
                    taken.merge(indexId, sum, KvChecksum::plus);
                }
            }
        } else if (answer instanceof ShipAnswer.Deferred deferred) {
            return new ShipAnswer.Deferred(
                    deferred.afterMillis(), "node " + member.described() + ": " + deferred.limiter());
        } else if (answer instanceof ShipAnswer.Refused refused) {
            return new ShipAnswer.Refused("node " + member.described() + ": " + refused.reason(), refused.limiter());
        }
        return answer;
    }

    /** Checksum of the KVs of an index that the node took in this session. */
    KvChecksum taken(int indexId) {
        synchronized (taken) {
            return taken.getOrDefault(indexId, KvChecksum.EMPTY);
        }
    }

    long shippingMillis() {
        return shippingNanos.sum() / 1_000_000;
    }
}
