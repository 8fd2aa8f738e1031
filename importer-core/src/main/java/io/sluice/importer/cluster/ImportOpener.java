package io.sluice.importer.cluster;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Begins one import on all nodes of a cluster, or goes on with one that some of them know. */
final class ImportOpener {
    private final NodePool fleet;
    private final ImportRequest request;
    private final ImportSession[] sessions;

    ImportOpener(NodePool fleet, ImportRequest request) {
        this.fleet = fleet;
        this.request = request;
        sessions = new ImportSession[fleet.members().size()];
    }

    /** All sessions, of a table with the same id, and a directory that all nodes know. */
    ClusterImport run(int replicas) {
        List<NodeStatus> statuses =
                fleet.all(fleet.members(), member -> member.client().status());
        List<String> ids = statuses.stream().map(NodeStatus::id).toList();
        if (ids.stream().distinct().count() < ids.size()) {
            throw new BadInputException("two of the nodes given are the same one");
        }
        try {
            begin();
            List<MemberSession> branches = new ArrayList<>();
            for (int i = 0; i < sessions.length; i++) {
                branches.add(new MemberSession(fleet.members().get(i), session(i)));
            }
            return new ClusterImport(fleet, new Division(ids, replicas), branches, directory(branches));
        } catch (RuntimeException e) {
            abandon(e);
            throw e;
        }
    }

    private ImportSession session(int i) {
        return Objects.requireNonNull(sessions[i]);
    }

    /**
     * Each node goes on with the id that it knows the import by, or else takes its next one; where they differ, all
     * take the one that is known, or else the greatest.
     */
    private void begin() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < sessions.length; i++) {
            all.add(i);
        }
        fleet.each(all, i -> begin(i, request.tableId()));
        List<Integer> known = all.stream().filter(i -> session(i).resumed()).toList();
        int id = known.isEmpty() ? all.stream().mapToInt(this::tableId).max().orElseThrow() : tableId(known.get(0));
        for (int i : known) {
            if (tableId(i) != id) {
                throw new OperationFailedException("nodes " + name(known.get(0)) + " and " + name(i) + " know import "
                        + request.importId() + " with different table ids; undo it on both, and begin anew");
            }
        }
        List<Integer> others = all.stream().filter(i -> tableId(i) != id).toList();
        fleet.each(others, i -> session(i).close());
        fleet.each(others, i -> begin(i, id));
    }

    private int tableId(int member) {
        return session(member).table().id();
    }

    private String name(int member) {
        return fleet.members().get(member).name();
    }

    private void begin(int member, int tableId) {
        sessions[member] = fleet.members()
                .get(member)
                .client()
                .beginImport(new ImportRequest(request.table(), request.timing(), request.importId(), tableId));
    }

    /** The latest directory that a node knows; a change that was cut off is finished. */
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

    /** Undoes what was begun, but not what was there before: that can still be gone on with. */
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
