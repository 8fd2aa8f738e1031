package io.sluice.importer.cluster;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ShipAnswer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** One node's part of an import: its session, and what it has taken. */
final class MemberSession {
    private final Member member;
    private final ImportSession session;
    private final Map<Integer, KvChecksum> taken = new HashMap<>();
    /** What the sums hold already: the same SST may be delivered again. */
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

    /** Hands something over, and keeps what came of it; a wait is told by the node's name. */
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
            return new ShipAnswer.Deferred(deferred.afterMillis(), "node " + member.name() + ": " + deferred.limiter());
        } else if (answer instanceof ShipAnswer.Refused refused) {
            return new ShipAnswer.Refused("node " + member.name() + ": " + refused.reason(), refused.limiter());
        }
        return answer;
    }

    /** What it took of an index in this session. */
    KvChecksum taken(int indexId) {
        synchronized (taken) {
            return taken.getOrDefault(indexId, KvChecksum.EMPTY);
        }
    }

    long shippingMillis() {
        return shippingNanos.sum() / 1_000_000;
    }
}
