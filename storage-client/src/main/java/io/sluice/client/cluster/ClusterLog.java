package io.sluice.client.cluster;

import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteParticipant;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The replicated log of a cluster, as clients write to it: through the leader, which they find. Thread-safe. */
public final class ClusterLog {
    /** Twelve waits of 0.2 to 2 s: 9 to 18 s, in which the other nodes elect a leader. */
    private static final Backoff BACKOFF = new Backoff(200, 2_000, 12);

    /** Nodes answer the question for their cluster at once; the leader replicates a change within its own bound. */
    private static final long PROBE_MILLIS = 2_000;

    /** A leader that has stopped takes no change; the others have another one by then. */
    private static final long CHANGE_MILLIS = 10_000;

    /** Time for a suspected node to come back, or to be left out: 7 s by the leader's clock, and what loads add. */
    private static final long LEAVE_OUT_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final long POLL_MILLIS = 200;

    /** Longer than the 30 s after which the leader ends the freeze of a command that has died. */
    private static final long OTHER_FREEZE_NANOS = TimeUnit.SECONDS.toNanos(35);

    /** Time for a decision about a transaction: the others elect a leader within it. */
    private static final long DECIDE_NANOS = TimeUnit.SECONDS.toNanos(20);

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
                        access.apply(member.url()).named(member.name()).described()));
        return nodes;
    }

    /** Describes a node by its name and address. */
    String describe(String address) {
        return known.members().stream()
                .map(member -> access.apply(member.url()).named(member.name()))
                .filter(settings -> settings.name().equals(address))
                .map(RemoteSettings::described)
                .findFirst()
                .orElse(address);
    }

    /** The id of the node at an address; null: it is no member. */
    @Nullable
    String id(String address) {
        return known.members().stream()
                .filter(member -> access.apply(member.url()).name().equals(address))
                .map(ClusterBody.Member::id)
                .findFirst()
                .orElse(null);
    }

    /**
     * Freezes a table. Waits for the end of another command's freeze: it takes less than a second, or 30 s if that
     * command has died.
     *
     * @throws ChangeRefusedException when the table is still frozen then; at once when it was dropped or moved
     */
    void freeze(ClusterChange.Freeze freeze) {
        long end = System.nanoTime() + OTHER_FREEZE_NANOS;
        whileFrozen(
                () -> write(ClusterChange.freezing(freeze)),
                () -> System.nanoTime() - end < 0,
                () -> Backoff.sleep(POLL_MILLIS, "waiting for another command on the table"));
    }

    /**
     * Repeats a change that is refused because another command has frozen the table.
     *
     * @param wait whether there is time for another try
     * @param pause called before it
     */
    static void whileFrozen(Runnable change, BooleanSupplier wait, Runnable pause) {
        while (true) {
            try {
                change.run();
                return;
            } catch (ChangeRefusedException e) {
                if (!e.frozen() || !wait.getAsBoolean()) {
                    throw e;
                }
            }
            pause.run();
        }
    }

    /** Ends a freeze, if the log takes it; else the leader ends it after 30 s. */
    void thaw(ClusterChange.Freeze freeze) {
        try {
            write(ClusterChange.thawing(freeze));
        } catch (SluiceException e) {
            // The leader ends it.
        }
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
                try (RemoteNode node = node(leader, CHANGE_MILLIS)) {
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

    /**
     * Asks the cluster to go on without a node, and waits until it does, or the node is back.
     *
     * @return whether one of them has happened
     */
    boolean leaveOut(String node) {
        if (node.equals(known.leader())) {
            // A leader that has stopped would keep the change until it goes on; the others know the next one.
            refresh(node);
        }
        try {
            write(ClusterChange.suspecting(node));
        } catch (SluiceException e) {
            // It is no member, or most members do not answer.
            return false;
        }
        long end = System.nanoTime() + LEAVE_OUT_NANOS;
        while (System.nanoTime() - end < 0) {
            ClusterBody.Suspect suspect = known.suspect(node);
            if (suspect == null || !suspect.pending()) {
                return true;
            }
            Backoff.sleep(POLL_MILLIS, "waiting until the cluster goes on without a node");
            refresh();
        }
        return false;
    }

    /** Index of an entry that a node had applied when it was asked last. */
    long seen() {
        return known.applied();
    }

    /**
     * Writes a decision about a transaction by any member, preferably the leader, which saves a way; repeating it
     * changes nothing.
     *
     * @param nodes clients of the members by id
     * @throws OperationFailedException when no member writes it within some 20 seconds; it may take effect all the same
     */
    Outcome decide(Decision decision, Map<String, RemoteParticipant> nodes) {
        SluiceException last = new OperationFailedException("no member of the cluster is known");
        long end = System.nanoTime() + DECIDE_NANOS;
        for (int tries = 1; tries <= BACKOFF.attempts(); tries++) {
            for (RemoteParticipant node : leaderFirst(nodes)) {
                try {
                    Outcome outcome = node.decide(decision);
                    if (outcome != Outcome.UNKNOWN) {
                        return outcome;
                    }
                } catch (SluiceException e) {
                    last = e;
                }
                if (System.nanoTime() - end > 0) {
                    throw last;
                }
            }
            Backoff.sleep(BACKOFF.jitteredMillis(tries), "waiting for the log of the cluster");
            refresh();
        }
        throw last;
    }

    private List<RemoteParticipant> leaderFirst(Map<String, RemoteParticipant> nodes) {
        List<RemoteParticipant> all = new ArrayList<>(nodes.values());
        String leader = known.leader();
        RemoteParticipant first = leader == null ? null : nodes.get(leader);
        if (first != null) {
            all.remove(first);
            all.add(0, first);
        }
        return all;
    }

    /** Ids of the nodes that the cluster goes on without. */
    Set<String> leftOut() {
        refresh();
        return known.suspects().stream()
                .filter(ClusterBody.Suspect::leftOut)
                .map(ClusterBody.Suspect::node)
                .collect(Collectors.toSet());
    }

    /** Learns of members and leader, from the leader or any node that knows one. */
    private void refresh() {
        refresh(null);
    }

    /** @param silent id of a member that does not answer, to be asked last; null: none is known */
    private void refresh(@Nullable String silent) {
        ClusterBody before = known;
        ClusterBody.Member leader = before.leading();
        List<ClusterBody.Member> asked = new ArrayList<>(before.members());
        if (leader != null) {
            asked.remove(leader);
            asked.add(leader.id().equals(silent) ? asked.size() : 0, leader);
        }
        for (ClusterBody.Member member : asked) {
            ClusterBody now = ask(member);
            if (now != null && now.leader() != null) {
                known = now;
                return;
            }
        }
    }

    private @Nullable ClusterBody ask(ClusterBody.Member member) {
        try (RemoteNode node = node(member, PROBE_MILLIS)) {
            return node.cluster();
        } catch (SluiceException e) {
            // Another one may answer.
            return null;
        }
    }

    private RemoteNode node(ClusterBody.Member member, long answerMillis) {
        return new RemoteNode(access.apply(member.url())
                .named(member.name())
                .withPatience(PROBE_MILLIS, PROBE_MILLIS)
                .withAnswerMillis(answerMillis));
    }
}
