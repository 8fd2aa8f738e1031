package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.JobsChange;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Endpoint;
import io.sluice.http.ProblemException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Serves the node's cluster. */
final class ClusterService {
    /** A node makes contact each second. */
    private static final long OUTDATED_MILLIS = 500;

    private final @Nullable Membership membership;
    private final Catalog catalog;

    /** @param membership null for a node that is in no cluster */
    ClusterService(@Nullable Membership membership, Catalog catalog) {
        this.membership = membership;
        this.catalog = catalog;
    }

    HttpResponse cluster(ApiRequest request) {
        ClusterBody cluster = membership == null ? null : membership.cluster();
        if (cluster == null) {
            if (membership != null && membership.joining()) {
                // The node that founds the cluster must learn that this one is in none.
                throw new ProblemException(Problem.of(ProblemKind.NOT_FOUND, String.valueOf(membership.outdated()))
                        .inState(Problem.JOINING));
            }
            // A member that was just started does not know its cluster yet.
            ensureCurrent();
            throw none();
        }
        return Answers.ok(cluster.withLacking(lacking()));
    }

    /** Refuses work while this node may lack what its cluster has decided; also if that shows after the work. */
    Endpoint.Work current(Endpoint.Work work) {
        return request -> {
            ensureCurrent();
            HttpResponse response = work.answer(request);
            try {
                // The process may have been stopped for long since the first check.
                ensureCurrent();
            } catch (ProblemException e) {
                response.abort(e);
                throw e;
            }
            return response;
        };
    }

    /**
     * Refuses work as {@link #current} does. A conflict may be with what the cluster has changed since: it stands only
     * if it is there after this node has applied everything.
     */
    Endpoint.Work certain(Endpoint.Work work) {
        return current(request -> {
            try {
                return work.answer(request);
            } catch (ProblemException e) {
                boolean conflict = e.problem().kind().type().equals(ProblemKind.CONFLICT.type());
                if (!conflict || membership == null || membership.cluster() == null) {
                    throw e;
                }
                if (!membership.catchUp()) {
                    String why = "the node has no contact with most nodes of its cluster, so that its tables may be"
                            + " outdated; start the others";
                    throw new ProblemException(
                            Problem.of(ProblemKind.OUTDATED, why).again(OUTDATED_MILLIS));
                }
                return work.answer(request);
            }
        });
    }

    private void ensureCurrent() {
        String why = membership == null ? null : membership.outdated();
        if (why != null) {
            throw new ProblemException(Problem.of(ProblemKind.OUTDATED, why).again(OUTDATED_MILLIS));
        }
    }

    /**
     * Checks that this node holds the keys of spans, after the snapshot was taken in which they are read: what a range
     * left behind is deleted after the range has left the node.
     */
    void ensureHeld(String table, List<KeySpan> spans) {
        TableRecord record = catalog.table(table);
        if (record != null
                && !spans.stream().allMatch(span -> record.directory().holds(catalog.nodeId(), span))) {
            throw new ProblemException(
                    ProblemKind.MOVED,
                    "some of these keys of table " + table + " are not on this node; its ranges were moved");
        }
    }

    /**
     * Refuses a new table from a client that has not learned of the cluster: no other node would have the table, nor
     * know of it.
     */
    void ensureOfCluster(ImportRequest request) {
        boolean alone = request.tableId() == 0 && !request.append();
        if (alone && membership != null && membership.cluster() != null) {
            throw new ProblemException(
                    ProblemKind.CONFLICT,
                    "this node is a member of a cluster, and the import is for the node alone; run the command again,"
                            + " or use a client of this version");
        }
    }

    private List<ClusterBody.Lacking> lacking() {
        List<ClusterBody.Lacking> lacking = new ArrayList<>();
        for (TableRecord record : catalog.tables()) {
            RangeDirectory directory = record.directory();
            int missing = directory.missing();
            if (missing > 0) {
                lacking.add(new ClusterBody.Lacking(
                        record.table().name(), directory.ranges().size(), directory.replicas(), missing));
            }
        }
        return lacking;
    }

    HttpResponse change(ApiRequest request) {
        if (membership == null) {
            throw none();
        }
        return Answers.ok(membership.change(request.json(ClusterChange.class)));
    }

    HttpResponse jobs(ApiRequest request) {
        return Answers.ok(member().jobs(false));
    }

    HttpResponse lease(ApiRequest request) {
        return Answers.ok(member().jobs(true));
    }

    HttpResponse changeJobs(ApiRequest request) {
        member().change(request.json(JobsChange.class));
        return Answers.noContent();
    }

    private Membership member() {
        Membership member = membership;
        if (member == null || member.cluster() == null) {
            throw none();
        }
        return member;
    }

    private static ProblemException none() {
        return new ProblemException(ProblemKind.NOT_FOUND, "the node is in no cluster");
    }
}
