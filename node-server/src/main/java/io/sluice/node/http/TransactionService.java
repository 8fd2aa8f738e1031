package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.client.RemoteSettings;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.Peers;
import io.sluice.sql.distributed.TransactionParticipant;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves this node's branches of transactions that other processes coordinate. A refusal is an answer with status 200.
 */
final class TransactionService {
    /** A transaction of 64 MiB in memory has fewer bytes of keys and values; base64 adds a third. */
    static final long MAX_BYTES = 96L << 20;
    /** Limit of concurrent operator decisions; each waits for another node. */
    private static final int MAX_RESOLVING = 4;

    private final TransactionParticipant participant;
    private final Peers peers;
    private final @Nullable Membership membership;
    private final Semaphore resolving = new Semaphore(MAX_RESOLVING);

    /** @param membership the node's membership in a cluster, whose log decides transactions; null: it has none */
    TransactionService(TransactionParticipant participant, Peers peers, @Nullable Membership membership) {
        this.participant = participant;
        this.peers = peers;
        this.membership = membership;
    }

    HttpResponse read(ApiRequest request) {
        ensureAddressed(request);
        ReadRequest body = request.json(ReadRequest.class);
        return answer(() -> TransactionAnswer.of(participant.id(), withPosition(body.log(), participant.read(body))));
    }

    /** In a cluster, its log has the position of a change log; the node has had it only if it took part. */
    private ReadAnswer withPosition(@Nullable String log, ReadAnswer answer) {
        Membership member = membership;
        if (log == null || member == null || member.cluster() == null) {
            return answer;
        }
        if (!member.catchUp()) {
            throw new OperationFailedException("this node has no contact with most nodes of its cluster, so that it"
                    + " does not know the position of change log " + log + "; start the others");
        }
        byte[] position = member.position(log);
        return answer.at(position == null ? null : LogPosition.of(log, position));
    }

    HttpResponse unchanged(ApiRequest request) {
        ensureAddressed(request);
        ReadSet reads = request.json(ReadSet.class);
        return done(() -> {
            boolean unused = participant.ensureUnchanged(reads);
        });
    }

    HttpResponse hold(ApiRequest request) {
        ensureAddressed(request);
        Hold hold = request.json(Hold.class);
        return done(() -> participant.hold(hold));
    }

    HttpResponse release(ApiRequest request) {
        ensureAddressed(request);
        participant.release(request.json(ReadRequest.class).released());
        return done();
    }

    HttpResponse prepare(ApiRequest request) {
        ensureAddressed(request);
        TransactionBody body = request.json(TransactionBody.class);
        UUID transaction = transaction(request);
        LastAgent lastAgent = decider(body);
        Changes changes = changes(body);
        return done(() -> {
            if (lastAgent != null) {
                ensureNoLog();
                peers.ensureAskable(lastAgent);
            }
            participant.prepare(transaction, lastAgent, changes);
        });
    }

    /** The last agent of a branch; null: the log of the node's cluster decides. */
    private @Nullable LastAgent decider(TransactionBody body) {
        return isMember() && body.lastAgent() == null ? null : validated(Wire.required("lastAgent", body.lastAgent()));
    }

    private boolean isMember() {
        return membership != null && membership.cluster() != null;
    }

    /** This node by its name and address in the cluster. */
    private String described() {
        ClusterBody cluster = membership == null ? null : membership.cluster();
        return cluster == null
                ? participant.id()
                : cluster.members().stream()
                        .filter(member -> member.id().equals(participant.id()))
                        .map(member -> RemoteSettings.of(member.url())
                                .named(member.name())
                                .described())
                        .findFirst()
                        .orElse(participant.id());
    }

    /** Refuses a last agent in a cluster: if it were lost, so would be the outcome. */
    private void ensureNoLog() {
        if (isMember()) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "node " + described()
                            + " is in a cluster, whose log decides transactions on several nodes, and"
                            + " this client began before; start the client again");
        }
    }

    /** Validates the last agent's address: scheme, host and port only. */
    private static LastAgent validated(LastAgent lastAgent) {
        Wire.required("lastAgent.id", lastAgent.id());
        String address = Wire.required("lastAgent.address", lastAgent.address());
        try {
            URI uri = new URI(address);
            String scheme = String.valueOf(uri.getScheme());
            if ((scheme.equals("http") || scheme.equals("https"))
                    && address.equals(scheme + "://" + uri.getHost() + ":" + uri.getPort())) {
                return lastAgent;
            }
        } catch (URISyntaxException e) {
            throw new BadInputException("lastAgent.address: must be http://HOST:PORT or https://HOST:PORT", e);
        }
        throw new BadInputException("lastAgent.address: must be http://HOST:PORT or https://HOST:PORT");
    }

    HttpResponse commit(ApiRequest request) {
        ensureAddressed(request);
        TransactionBody body = request.json(TransactionBody.class);
        Changes changes = changes(body);
        List<String> others = Objects.requireNonNullElse(body.nodes(), List.of());
        return answer(() -> {
            if (!others.isEmpty()) {
                ensureNoLog();
            }
            participant.commit(changes, others);
            return TransactionAnswer.of(participant.id(), Outcome.COMMITTED);
        });
    }

    private static Changes changes(TransactionBody body) {
        Changes changes = Wire.required("changes", body.changes());
        Wire.required("changes.snapshot", changes.snapshot());
        return changes;
    }

    HttpResponse decide(ApiRequest request) {
        ensureAddressed(request);
        boolean commit =
                Wire.required("commit", request.json(TransactionBody.class).commit());
        participant.decide(transaction(request), commit);
        return done();
    }

    /** Writes a decision to the log of the cluster, through the leader. */
    HttpResponse decision(ApiRequest request) {
        ensureAddressed(request);
        TransactionBody body = request.json(TransactionBody.class);
        UUID transaction = transaction(request);
        List<String> nodes = Wire.required("nodes", body.nodes());
        if (nodes.isEmpty()) {
            throw new BadInputException("nodes: must name the nodes that have prepared");
        }
        LogPosition log = body.log();
        if (log != null) {
            Wire.required("log.log", log.log());
            Wire.required("log.position", log.position());
            if (log.log().length() > LogPosition.MAX_NAME || log.position().length > LogPosition.MAX_POSITION) {
                throw new BadInputException("log: must have a name of at most " + LogPosition.MAX_NAME
                        + " characters and a position of at most " + LogPosition.MAX_POSITION + " bytes");
            }
        }
        Decision decision = new Decision(transaction, nodes, Wire.required("seen", body.seen()), log);
        if (membership == null || !isMember()) {
            throw new ProblemException(ProblemKind.NOT_FOUND, "the node is in no cluster");
        }
        Outcome outcome = membership.decide(List.of(decision)).getOrDefault(transaction, Outcome.UNKNOWN);
        return Answers.ok(TransactionAnswer.of(participant.id(), outcome));
    }

    HttpResponse outcome(ApiRequest request) {
        ensureAddressed(request);
        return Answers.ok(TransactionAnswer.of(participant.id(), participant.outcome(transaction(request))));
    }

    HttpResponse forget(ApiRequest request) {
        ensureAddressed(request);
        TransactionBody body = request.json(TransactionBody.class);
        participant.forget(transaction(request), Wire.required("nodes", body.nodes()));
        return done();
    }

    /** Lists the branches in doubt, for operators. */
    HttpResponse inDoubt(ApiRequest request) {
        return Answers.ok(participant.inDoubt());
    }

    /** Ends a branch by an operator's decision; the answer contains the outcome that the log or the last agent has. */
    HttpResponse resolve(ApiRequest request) {
        boolean commit =
                Wire.required("commit", request.json(TransactionBody.class).commit());
        UUID transaction = transaction(request);
        if (!resolving.tryAcquire()) {
            throw new ProblemException(
                    Failures.busy("too many branches are being resolved; try again", "transactions"));
        }
        try {
            return Answers.ok(TransactionAnswer.of(
                    participant.id(), participant.resolve(transaction, commit, peers, membership)));
        } catch (BadInputException e) {
            throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
        } finally {
            resolving.release();
        }
    }

    /** Rejects a request for another node, in case the client used a wrong address. */
    private void ensureAddressed(ApiRequest request) {
        String addressee = Wire.required(ApiHeaders.NODE, request.headers().get(ApiHeaders.NODE));
        if (!addressee.equals(participant.id())) {
            throw new ProblemException(
                    ProblemKind.WRONG_NODE,
                    "the request is for node " + addressee + ", and this is node " + participant.id()
                            + ": check the address");
        }
    }

    private static UUID transaction(ApiRequest request) {
        return Wire.uuid("transaction", request.path(Routes.TRANSACTION));
    }

    private HttpResponse done() {
        return Answers.ok(TransactionAnswer.done(participant.id()));
    }

    /** Does a step without a result, which the participant may refuse. */
    private HttpResponse done(Runnable step) {
        return answer(() -> {
            step.run();
            return TransactionAnswer.done(participant.id());
        });
    }

    private HttpResponse answer(Supplier<TransactionAnswer> work) {
        try {
            return Answers.ok(work.get());
        } catch (StatementException e) {
            return Answers.ok(TransactionAnswer.of(participant.id(), e));
        }
    }
}
