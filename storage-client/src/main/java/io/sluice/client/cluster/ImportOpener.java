package io.sluice.client.cluster;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Opens one import on all nodes of a cluster: begins it, or resumes it where nodes know it. */
final class ImportOpener {
    private final NodePool pool;
    private final ImportRequest request;
    private final ImportSession[] sessions;

    ImportOpener(NodePool pool, ImportRequest request) {
        this.pool = pool;
        this.request = request;
        sessions = new ImportSession[pool.members().size()];
    }

    /** Opens all sessions with the same table id and the same directory. */
    ClusterImport run(int replicas) {
        List<NodeStatus> statuses =
                pool.all(pool.members(), member -> member.client().status());
        List<String> ids = statuses.stream().map(NodeStatus::id).toList();
        if (ids.stream().distinct().count() < ids.size()) {
            throw new BadInputException("two of the nodes given are the same one");
        }
        try {
            begin();
            List<MemberSession> branches = new ArrayList<>();
            for (int i = 0; i < sessions.length; i++) {
                branches.add(new MemberSession(pool.members().get(i), session(i)));
            }
            return new ClusterImport(pool, new Division(ids, replicas), branches, directory(branches));
        } catch (RuntimeException e) {
            abandon(e);
            throw e;
        }
    }

    private ImportSession session(int i) {
        return Objects.requireNonNull(sessions[i]);
    }

    /**
     * Opens the import on each node, with its known table id or the node's next one. If the ids differ, all nodes use
     * the known id, or else the greatest.
     */
    private void begin() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < sessions.length; i++) {
            all.add(i);
        }
        pool.each(all, i -> begin(i, request.tableId()));
        List<Integer> known = all.stream().filter(i -> session(i).resumed()).toList();
        int id = known.isEmpty() ? all.stream().mapToInt(this::tableId).max().orElseThrow() : tableId(known.get(0));
        for (int i : known) {
            if (tableId(i) != id) {
                throw new OperationFailedException("nodes " + name(known.get(0)) + " and " + name(i) + " know import "
                        + request.importId() + " with different table ids; undo it on both, and start it again");
            }
        }
        List<Integer> others = all.stream().filter(i -> tableId(i) != id).toList();
        pool.each(others, i -> session(i).close());
        pool.each(others, i -> begin(i, id));
    }

    private int tableId(int member) {
        return session(member).table().id();
    }

    private String name(int member) {
        return pool.members().get(member).name();
    }

    private void begin(int member, int tableId) {
        sessions[member] = pool.members()
                .get(member)
                .client()
                .beginImport(new ImportRequest(request.table(), request.timing(), request.importId(), tableId));
    }

    /** The latest directory of any node; completes an interrupted change on the others. */
    private RangeDirectory directory(List<MemberSession> branches) {
        RangeDirectory latest = RangeDirectory.SINGLE_NODE;
        for (MemberSession branch : branches) {
            RangeDirectory known = branch.session().directory();
            if (known.epoch() > latest.epoch()) {
                latest = known;
            }
        }
        for (MemberSession branch : branches) {
            if (branch.session().directory().epoch() < latest.epoch()) {
                branch.session().assign(latest);
            }
        }
        return latest;
    }

    /** Undoes new sessions, and detaches resumed ones, which can still be resumed. */
    private void abandon(RuntimeException failure) {
        for (ImportSession session : Arrays.asList(sessions)) {
            if (session != null) {
                try {
                    if (session.resumed()) {
                        session.detach();
                    } else {
                        session.close();
                    }
                } catch (RuntimeException e) {
                    failure.addSuppressed(e);
                }
            }
        }
    }
}
