package io.sluice.client;

import com.linecorp.armeria.common.HttpMethod;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.OperationFailedException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A remote node as a participant of transactions. It shares the connections of a {@link RemoteNode}. */
public final class RemoteParticipant implements Participant {
    /** A node that has lost contact to the others keeps a decision for 5 s; another one may write it by then. */
    private static final long DECIDE_MILLIS = 3_000;

    private final Link link;
    private final RemoteSettings settings;
    private volatile @Nullable String id;

    /** @param id the node's id, or null to ask the node for it */
    RemoteParticipant(Link link, RemoteSettings settings, @Nullable String id) {
        this.link = link;
        this.settings = settings;
        this.id = id;
    }

    @Override
    public String id() {
        String known = id;
        if (known == null) {
            known = link.ask(
                            HttpMethod.GET,
                            ApiPaths.NODE,
                            Map.of(),
                            null,
                            settings.patience().readMillis())
                    .orFail()
                    .as(NodeStatus.class)
                    .id();
            id = known;
        }
        return known;
    }

    @Override
    public String address() {
        return settings.toString();
    }

    @Override
    public String described() {
        return settings.described();
    }

    private TransactionAnswer ask(String path, Object body) {
        return answer(send(path, body));
    }

    private Reply send(String path, Object body) {
        return send(path, body, settings.patience().answerMillis());
    }

    private Reply send(String path, Object body, long answerMillis) {
        return link.ask(
                HttpMethod.POST,
                path,
                Map.of(ApiHeaders.NODE, id()),
                Reply.json(body),
                settings.patience().readMillis(),
                answerMillis);
    }

    private TransactionAnswer answer(Reply reply) {
        String node = id();
        TransactionAnswer answer = reply.orFail().as(TransactionAnswer.class);
        try {
            return answer.from(node);
        } catch (StatementException e) {
            // A node names itself by its id.
            throw new StatementException(e.code(), e.text().replace("node " + node, "node " + described()));
        }
    }

    private TransactionAnswer ask(UUID transaction, String step, TransactionBody body) {
        return ask(ApiPaths.transaction(transaction, step), body);
    }

    @Override
    public ReadAnswer read(ReadRequest request) {
        ReadAnswer answer = ask(ApiPaths.TRANSACTIONS + "/read", request).read();
        if (answer == null) {
            throw new OperationFailedException("node " + link.node() + " did not say what was read");
        }
        return answer;
    }

    @Override
    public boolean ensureUnchanged(ReadSet reads) {
        return askIfKnown("/unchanged", reads);
    }

    @Override
    public void hold(Hold hold) {
        boolean unused = askIfKnown("/hold", hold);
    }

    /** Asks a node; returns false if it is of an earlier build, which does not know the request. */
    private boolean askIfKnown(String path, Object body) {
        Reply reply = send(ApiPaths.TRANSACTIONS + path, body);
        if (reply.is(ProblemKind.NOT_FOUND)) {
            return false;
        }
        answer(reply);
        return true;
    }

    @Override
    public void release(List<UUID> snapshots) {
        ask(ApiPaths.TRANSACTIONS + "/release", ReadRequest.NOTHING.withPiggyback(List.of(), snapshots));
    }

    @Override
    public void prepare(UUID transaction, @Nullable LastAgent lastAgent, Changes changes) {
        ask(transaction, "prepare", new TransactionBody(changes, lastAgent, null, null, null, null));
    }

    @Override
    public void commit(Changes changes, List<String> others) {
        String outcome = ask(changes.snapshot(), "commit", new TransactionBody(changes, null, others, null, null, null))
                .outcome();
        if (outcome == null || Outcome.of(outcome) != Outcome.COMMITTED) {
            throw new OperationFailedException("node " + link.node() + " did not say that it has committed");
        }
    }

    @Override
    public void decide(UUID transaction, boolean commit) {
        ask(transaction, "decide", TransactionBody.commit(commit));
    }

    /** The outcome of a transaction that this node decides as its last agent. */
    public Outcome outcome(UUID transaction) {
        return outcome(ask(transaction, "outcome", TransactionBody.NOTHING));
    }

    /** Writes a decision to the log of the node's cluster; returns the outcome. */
    public Outcome decide(Decision decision) {
        String path = ApiPaths.transaction(decision.transaction(), "decision");
        return outcome(answer(send(path, TransactionBody.of(decision), DECIDE_MILLIS)));
    }

    private static Outcome outcome(TransactionAnswer answer) {
        return Outcome.of(Wire.required("outcome", answer.outcome()));
    }

    @Override
    public void forget(UUID transaction, List<String> nodes) {
        ask(transaction, "forget", TransactionBody.nodes(nodes));
    }
}
