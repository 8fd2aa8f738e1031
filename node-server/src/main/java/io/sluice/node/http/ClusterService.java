package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import org.jspecify.annotations.Nullable;

/** Serves the node's cluster. */
final class ClusterService {
    private final @Nullable Membership membership;

    /** @param membership null for a node that is in no cluster */
    ClusterService(@Nullable Membership membership) {
        this.membership = membership;
    }

    HttpResponse cluster(ApiRequest request) {
        ClusterBody cluster = membership == null ? null : membership.cluster();
        if (cluster == null) {
            throw none();
        }
        return Answers.ok(cluster);
    }

    HttpResponse change(ApiRequest request) {
        if (membership == null) {
            throw none();
        }
        return Answers.ok(membership.change(request.json(ClusterChange.class)));
    }

    private static ProblemException none() {
        return new ProblemException(ProblemKind.NOT_FOUND, "the node is in no cluster");
    }
}
