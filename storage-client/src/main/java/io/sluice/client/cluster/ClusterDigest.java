package io.sluice.client.cluster;

import io.sluice.api.node.TableDigest;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Computes a table's digest: reads every range on one of its nodes, with one request per node for all its ranges. */
final class ClusterDigest {
    private final NodePool pool;
    private final TableView table;

    ClusterDigest(NodePool pool, TableView table) {
        this.pool = pool;
        this.table = table;
    }

    private record Request(Member member, List<KeySpan> spans) {}

    /** The digest of the KVs in spans, which must not overlap. */
    TableDigest of(List<KeySpan> spans) {
        List<Integer> open = new ArrayList<>();
        for (int range = 0; range < table.directory().ranges().size(); range++) {
            open.add(range);
        }
        Map<Member, NodeUnreachableException> failed = new LinkedHashMap<>();
        List<TableDigest> digests = new ArrayList<>();
        while (!open.isEmpty()) {
            Map<Member, List<Integer>> byHolder = new LinkedHashMap<>();
            for (int range : open) {
                byHolder.computeIfAbsent(holder(range, failed), member -> new ArrayList<>())
                        .add(range);
            }
            open.clear();
            List<Request> requests = new ArrayList<>();
            byHolder.forEach((member, ranges) -> requests.add(new Request(member, within(ranges, spans))));
            List<NodePool.Outcome<TableDigest>> outcomes = pool.tryAll(requests, this::answer);
            for (int i = 0; i < outcomes.size(); i++) {
                RuntimeException failure = outcomes.get(i).failure();
                Member member = requests.get(i).member();
                if (failure instanceof NodeUnreachableException unreachable) {
                    failed.put(member, unreachable);
                    open.addAll(byHolder.get(member));
                } else if (failure != null) {
                    throw failure;
                } else {
                    digests.add(outcomes.get(i).value());
                }
            }
        }
        return ReadBack.sum(table.status().table(), digests);
    }

    private TableDigest answer(Request request) {
        return request.member().client().digest(table.status().table().name(), request.spans());
    }

    private Member holder(int range, Map<Member, NodeUnreachableException> failed) {
        NodeUnreachableException failure = null;
        for (Member member : table.holdersOf(range)) {
            NodeUnreachableException one = failed.get(member);
            if (one == null) {
                return member;
            }
            failure = Replicas.deciding(failure, one);
        }
        if (failure != null && failure.readAgain()) {
            throw failure;
        }
        List<Member> holders = table.holdersOf(range);
        throw new NodeUnreachableException(
                holders.get(0).name(),
                holders.get(0).described(),
                "no node that holds range " + table.directory().span(range) + " of table "
                        + table.status().table().name() + " answers; start one of "
                        + holders.stream().map(Member::described).collect(Collectors.joining(", ")),
                failure == null ? new IllegalStateException("all replicas failed") : failure);
    }

    private List<KeySpan> within(List<Integer> ranges, List<KeySpan> spans) {
        List<KeySpan> within = new ArrayList<>();
        for (int range : ranges) {
            within.addAll(table.directory().span(range).common(spans));
        }
        return within;
    }
}
