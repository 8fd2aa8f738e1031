package io.sluice.node.http;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.Wire;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.NodeSession;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds import sessions of the node by import id and attempt, and maps their failures to problems. Stateless. */
final class Sessions {
    private final StorageNode node;

    Sessions(StorageNode node) {
        this.node = node;
    }

    /** Begins an import, or a new attempt at it. */
    NodeSession begin(ImportRequest request) {
        try {
            return node.beginImport(request);
        } catch (BadInputException e) {
            // The request is well-formed, but conflicts with the node's tables.
            throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
        }
    }

    /** Whether an import is in progress, which a client may resume. */
    boolean has(UUID importId) {
        return node.session(importId) != null;
    }

    /** Returns the latest attempt at an import. */
    NodeSession latest(UUID importId) {
        return require(node.session(importId));
    }

    /** Returns the sender's attempt; fails if a later attempt has fenced it. */
    NodeSession of(ApiRequest request) {
        return of(RequestNames.importId(request), RequestNames.attempt(request));
    }

    NodeSession of(UUID importId, long attempt) {
        NodeSession session = require(node.session(importId, attempt));
        if (session.superseded()) {
            throw fenced();
        }
        return session;
    }

    /** Returns an attempt, or null if there is no such import; fails if a later attempt has fenced it. */
    @Nullable
    NodeSession find(UUID importId, long attempt) {
        NodeSession session = node.session(importId, attempt);
        if (session != null && session.superseded()) {
            throw fenced();
        }
        return session;
    }

    private static NodeSession require(@Nullable NodeSession session) {
        if (session == null) {
            throw new ProblemException(
                    ProblemKind.UNKNOWN_IMPORT,
                    "no import of this id is in progress here: it was never begun, or it was undone; begin it");
        }
        return session;
    }

    /** Calls a session. If the call fails because a later attempt owns the import, reports that. */
    <T> T call(NodeSession session, Supplier<T> work) {
        try {
            return work.get();
        } catch (OperationFailedException e) {
            if (session.superseded()) {
                throw fenced();
            }
            if (session.append() == null && published(session)) {
                throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
            }
            throw e;
        } catch (IllegalStateException e) {
            // Steps out of order: the session's message names the step.
            throw new ProblemException(ProblemKind.CONFLICT, Wire.required("reason", e.getMessage()));
        }
    }

    private boolean published(NodeSession session) {
        TableStatus table = node.table(session.table().name());
        return table != null && table.table().id() == session.table().id();
    }

    void run(NodeSession session, Runnable work) {
        Object unused = call(session, () -> {
            work.run();
            return session;
        });
    }

    static ProblemException fenced() {
        return new ProblemException(
                ProblemKind.FENCED,
                "a later attempt at this import is in progress; stop this one, or begin the import again to take it over");
    }
}
