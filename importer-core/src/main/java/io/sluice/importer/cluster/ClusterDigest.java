package io.sluice.importer.cluster;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.TableDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Adds a table up: every range on one of its nodes, each node once for all ranges it is asked for. */
final class ClusterDigest {
    private final NodePool fleet;
    private final TableView table;

    ClusterDigest(NodePool fleet, TableView table) {
        this.fleet = fleet;
        this.table = table;
    }

    private record Question(Member member, List<KeySpan> spans) {}

    /** What the KVs in some spans add up to, which must not overlap. */
    TableDigest of(List<KeySpan> spans) {
        List<Integer> open = new ArrayList<>();
        for (int range = 0; range < table.directory().ranges().size(); range++) {
            open.add(range);
        }
        Set<Member> gone = new HashSet<>();
        List<TableDigest> digests = new ArrayList<>();
        while (!open.isEmpty()) {
            Map<Member, List<Integer>> asked = new LinkedHashMap<>();
            for (int range : open) {
                asked.computeIfAbsent(holder(range, gone), member -> new ArrayList<>())
                        .add(range);
            }
            open.clear();
            List<Question> questions = new ArrayList<>();
            asked.forEach((member, ranges) -> questions.add(new Question(member, within(ranges, spans))));
            List<NodePool.Outcome<TableDigest>> outcomes = fleet.tryAll(questions, this::answer);
            for (int i = 0; i < outcomes.size(); i++) {
                RuntimeException failure = outcomes.get(i).failure();
                Member member = questions.get(i).member();
                if (failure instanceof NodeUnreachableException) {
                    gone.add(member);
                    open.addAll(asked.get(member));
                } else if (failure != null) {
                    throw failure;
                } else {
                    digests.add(outcomes.get(i).value());
                }
            }
        }
        return ReadBack.sum(table.status().table(), digests);
    }

    private TableDigest answer(Question question) {
        return question.member().client().digest(table.status().table().name(), question.spans());
    }

    private Member holder(int range, Set<Member> gone) {
        return table.holdersOf(range).stream()
                .filter(member -> !gone.contains(member))
                .findFirst()
                .orElseThrow(() -> new NodeUnreachableException(
                        table.holdersOf(range).get(0).name(),
                        "no node that holds range " + table.directory().span(range) + " of table "
                                + table.status().table().name() + " answers; start one of "
                                + String.join(
                                        ", ",
                                        table.holdersOf(range).stream()
                                                .map(Member::name)
                                                .toList()),
                        new IllegalStateException("all replicas failed")));
    }

    private List<KeySpan> within(List<Integer> ranges, List<KeySpan> spans) {
        List<KeySpan> within = new ArrayList<>();
        for (int range : ranges) {
            within.addAll(Spans.common(table.directory().span(range), spans));
        }
        return within;
    }
}
