package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The answers of all members about one table, for changes of the whole table.
 *
 * @param table name of the table
 * @param found the members that have it
 * @param ids ids of those that answer
 * @param silent those that do not
 */
record TableAnswers(
        String table, Map<Member, TableStatus> found, Set<String> ids, Map<Member, NodeUnreachableException> silent) {
    /**
     * @param log the log of the members' cluster, which has one {@link TableView#present} table; null: there is none
     */
    static TableAnswers of(NodePool pool, String table, @Nullable ClusterLog log) {
        TableAnswers answers = of(pool, table);
        return log == null
                ? answers
                : new TableAnswers(table, TableView.present(answers.found), answers.ids, answers.silent);
    }

    private static TableAnswers of(NodePool pool, String table) {
        TableAnswers answers = new TableAnswers(table, new LinkedHashMap<>(), new HashSet<>(), new LinkedHashMap<>());
        List<NodePool.Outcome<Optional<TableStatus>>> outcomes = pool.tryAll(pool.members(), member -> {
            member.id();
            return Optional.ofNullable(member.client().table(table));
        });
        for (int i = 0; i < outcomes.size(); i++) {
            Member member = pool.members().get(i);
            RuntimeException failure = outcomes.get(i).failure();
            if (failure instanceof NodeUnreachableException unreachable) {
                answers.silent.put(member, unreachable);
            } else if (failure != null) {
                throw failure;
            } else {
                answers.ids.add(member.id());
                Objects.requireNonNull(outcomes.get(i).value()).ifPresent(status -> answers.found.put(member, status));
            }
        }
        return answers;
    }

    private List<RangeDirectory> directories() {
        return found.values().stream().map(TableStatus::directory).toList();
    }

    /** Names the members that do not answer; empty if all do. */
    String silentNames() {
        return silent.keySet().stream().map(Member::described).collect(Collectors.joining(", "));
    }

    /** Whether this is one table, and all nodes of its ranges are members of the log's cluster. */
    boolean areOf(ClusterLog log) {
        Set<Integer> tables =
                found.values().stream().map(status -> status.table().id()).collect(Collectors.toSet());
        return tables.size() == 1
                && directories().stream()
                        .allMatch(directory -> !directory.ranges().isEmpty()
                                && log.nodes().keySet().containsAll(directory.nodes()));
    }

    /**
     * The members that have the table. One that does not answer is not needed if all nodes of the table's ranges answer
     * and it took no part in the import.
     *
     * @throws NodeUnreachableException when a member that is needed does not answer
     * @throws BadInputException when no member has the table
     * @throws OperationFailedException when a node outside the member list has it, too
     */
    List<Member> holders() {
        silent.forEach((member, failure) -> {
            boolean needless = !found.isEmpty()
                    && directories().stream()
                            .allMatch(directory -> ids.containsAll(directory.nodes())
                                    && !directory.addresses().containsValue(member.name()));
            if (!needless) {
                throw failure;
            }
        });
        if (found.isEmpty()) {
            throw new BadInputException("there is no table " + table);
        }
        for (RangeDirectory directory : directories()) {
            String elsewhere = directory.nodes().stream()
                    .filter(node -> !ids.contains(node))
                    .map(node -> TableView.described(directory, node))
                    .collect(Collectors.joining("; "));
            if (!elsewhere.isEmpty()) {
                throw new OperationFailedException("table " + table + " is also on " + elsewhere
                        + ". Nothing was changed; name all nodes of the table");
            }
        }
        return List.copyOf(found.keySet());
    }
}
