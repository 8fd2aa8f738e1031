package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import io.sluice.api.error.BadInputException;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.node.divided.Participation;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

/** This node's parts of transactions that somebody else coordinates. What is refused is an answer, not a status. */
final class TransactionService {
    /** A transaction of 64 MiB in memory has less than that in keys and values; base64 makes it a third longer. */
    static final long MOST_BYTES = 96L << 20;

    private final Participation participation;

    TransactionService(Participation participation) {
        this.participation = participation;
    }

    HttpResponse read(ApiRequest request) {
        ReadRequest body = request.json(ReadRequest.class);
        return answer(() -> TransactionAnswer.of(participation.read(body)));
    }

    HttpResponse release(ApiRequest request) {
        participation.release(request.json(ReadRequest.class).released());
        return Answers.ok(TransactionAnswer.DONE);
    }

    HttpResponse prepare(ApiRequest request) {
        TransactionBody body = request.json(TransactionBody.class);
        UUID transaction = transaction(request);
        String decider = address(Wire.required("decider", body.decider()));
        Changes changes = changes(body);
        return answer(() -> {
            participation.prepare(transaction, decider, changes);
            return TransactionAnswer.DONE;
        });
    }

    /** Where this node will ask, showing its token: scheme, host and port, and nothing else. */
    private static String address(String decider) {
        try {
            URI uri = new URI(decider);
            String scheme = String.valueOf(uri.getScheme());
            if ((scheme.equals("http") || scheme.equals("https"))
                    && decider.equals(scheme + "://" + uri.getHost() + ":" + uri.getPort())) {
                return decider;
            }
        } catch (URISyntaxException e) {
            throw new BadInputException("decider: must be http://HOST:PORT or https://HOST:PORT", e);
        }
        throw new BadInputException("decider: must be http://HOST:PORT or https://HOST:PORT");
    }

    HttpResponse commit(ApiRequest request) {
        TransactionBody body = request.json(TransactionBody.class);
        Changes changes = changes(body);
        List<String> others = Objects.requireNonNullElse(body.nodes(), List.of());
        return answer(() -> {
            participation.commit(changes, others);
            return TransactionAnswer.DONE;
        });
    }

    private static Changes changes(TransactionBody body) {
        Changes changes = Wire.required("changes", body.changes());
        Wire.required("changes.snapshot", changes.snapshot());
        return changes;
    }

    HttpResponse decide(ApiRequest request) {
        boolean commit =
                Wire.required("commit", request.json(TransactionBody.class).commit());
        participation.decide(transaction(request), commit);
        return Answers.ok(TransactionAnswer.DONE);
    }

    HttpResponse outcome(ApiRequest request) {
        return Answers.ok(TransactionAnswer.of(participation.outcome(transaction(request))));
    }

    HttpResponse forget(ApiRequest request) {
        TransactionBody body = request.json(TransactionBody.class);
        participation.forget(transaction(request), Wire.required("nodes", body.nodes()));
        return Answers.ok(TransactionAnswer.DONE);
    }

    private static UUID transaction(ApiRequest request) {
        return Wire.uuid("transaction", request.path(Routes.TRANSACTION));
    }

    private static HttpResponse answer(Supplier<TransactionAnswer> work) {
        try {
            return Answers.ok(work.get());
        } catch (StatementException e) {
            return Answers.ok(TransactionAnswer.of(e));
        }
    }
}
