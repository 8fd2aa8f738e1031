package io.sluice.node.http;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.Wire;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.NodeSession;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The imports of the node as requests name them: by id and attempt. Keeps none itself; the node does. */
final class Sessions {
    private final StorageNode node;

    Sessions(StorageNode node) {
        this.node = node;
    }

    /** Begins an import or a new attempt at it. */
    NodeSession begin(ImportRequest request) {
        try {
            return node.beginImport(request);
        } catch (BadInputException e) {
            // What the request says is well-formed: it is the node's tables that it does not go with.
            throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
        }
    }

    /** The latest attempt. */
    NodeSession latest(UUID importId) {
        return known(node.session(importId));
    }

    /** The attempt that the sender says it is. */
    NodeSession of(ApiRequest request) {
        return of(RequestNames.importId(request), RequestNames.attempt(request));
    }

    NodeSession of(UUID importId, long attempt) {
        NodeSession session = known(node.session(importId, attempt));
        if (session.superseded()) {
            throw fenced();
        }
        return session;
    }

    /** An attempt, or null when the import is not there or was begun again since. */
    @Nullable
    NodeSession find(UUID importId, long attempt) {
        NodeSession session = node.session(importId, attempt);
        if (session != null && session.superseded()) {
            throw fenced();
        }
        return session;
    }

    private static NodeSession known(@Nullable NodeSession session) {
        if (session == null) {
            throw new ProblemException(
                    ProblemKind.UNKNOWN_IMPORT,
                    "no import of this id is under way here: it was never begun, or it is undone; begin it");
        }
        return session;
    }

    /** Calls a session; when it fails because somebody else has the import by now, says that. */
    <T> T call(NodeSession session, Supplier<T> work) {
        try {
            return work.get();
        } catch (OperationFailedException e) {
            if (session.superseded()) {
                throw fenced();
            }
            if (published(session)) {
                throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
            }
            throw e;
        } catch (IllegalStateException e) {
            // Steps out of order: what the session itself says tells which.
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
                "a later attempt at this import is under way; end this one, or begin the import again to go on with it");
    }
}
