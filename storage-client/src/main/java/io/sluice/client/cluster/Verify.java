package io.sluice.client.cluster;

import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the replicas of one table, and repairs those that are wrong, while statements read and change the table:
 *
 * <ol>
 *   <li>each range is read in buckets; all nodes with the range compute the bucket's checksums;
 *   <li>a bucket that differs is read again in pages: statements may have changed it between the answers;
 *   <li>a page that still differs is compared once more with the table frozen: this difference is real;
 *   <li>the replica that most nodes have, or a node that the operator trusts, is the right one. Still in the freeze,
 *       the others get its KVs.
 * </ol>
 *
 * <p>A replica whose KVs do not match their own checksums is wrong, whatever the others have.
 */
final class Verify {
    /** Checksums of a bucket are computed in about a tenth of a second. */
    private static final long BUCKET_BYTES = 64L << 20;

    private static final long PAGE_BYTES = 8L << 20;
    private static final long ALL_BYTES = Long.MAX_VALUE;

    private final TableStatus table;
    private final Map<String, RemoteNode> nodes;
    private final Repair.Effects effects;
    private final TableFreeze freeze;
    private final boolean repair;
    private final @Nullable String trusted;
    private final Map<String, RemoteReplica> replicas = new HashMap<>();
    private final List<Difference> differences = new ArrayList<>();
    private int compared;
    private int alone;
    private int partly;

    /**
     * A page of a range of which not all replicas are equal.
     *
     * @param range position of the range in the directory
     * @param node id of the node that is wrong, or may be
     * @param kvs what differs, some keys of it by name
     * @param repaired whether the node has the right KVs now
     * @param undecided whether it is not known which replica is the right one
     */
    record Difference(int range, String node, String kvs, boolean repaired, boolean undecided) {}

    /**
     * The result.
     *
     * @param compared number of ranges of which at least two replicas were compared
     * @param alone number of ranges with a single replica that answers
     * @param partly number of compared ranges with a replica that does not answer
     * @param differences what differs
     */
    record Result(int compared, int alone, int partly, List<Difference> differences) {}

    /** A replica of a page, without its KVs, or why it cannot be read. */
    private record Found(@Nullable KvPage page, String problem) {
        @Nullable
        List<KvChecksum> sums() {
            return page == null ? null : page.sums();
        }

        long bytes() {
            return page == null
                    ? 0
                    : page.sums().stream().mapToLong(KvChecksum::bytes).sum();
        }

        boolean endsBefore(byte[] end) {
            return page != null && Arrays.compareUnsigned(page.end(), end) < 0;
        }

        boolean endsAt(byte[] end) {
            return page == null || Arrays.equals(page.end(), end);
        }

        boolean equalTo(Found other) {
            return sums() != null && Objects.equals(sums(), other.sums());
        }
    }

    /**
     * Creates a verification.
     *
     * @param nodes clients of the nodes that answer, by node id
     * @param repair whether wrong replicas get the right KVs
     * @param trusted id of a node whose replicas are right; null: the most common ones are
     */
    Verify(
            TableStatus table,
            Map<String, RemoteNode> nodes,
            Repair.Effects effects,
            boolean repair,
            @Nullable String trusted) {
        this.table = table;
        this.nodes = nodes;
        this.effects = effects;
        this.repair = repair;
        this.trusted = trusted;
        freeze = new TableFreeze(table, nodes, effects);
    }

    /**
     * Compares all ranges.
     *
     * @throws SluiceException if it failed; what was repaired until then stays
     */
    Result run() {
        RangeDirectory directory = table.directory();
        for (int range = 0; range < directory.ranges().size(); range++) {
            List<String> holders = directory.ranges().get(range).nodes().stream()
                    .filter(nodes::containsKey)
                    .toList();
            if (holders.size() < 2) {
                alone++;
                continue;
            }
            compared++;
            partly += holders.size() < directory.ranges().get(range).nodes().size() ? 1 : 0;
            for (KeySpan bucket : differing(holders, directory.span(range), BUCKET_BYTES)) {
                for (KeySpan page : differing(holders, bucket, PAGE_BYTES)) {
                    settle(range, holders, page);
                }
            }
        }
        return new Result(compared, alone, partly, List.copyOf(differences));
    }

    private RemoteReplica replica(String node) {
        return replicas.computeIfAbsent(node, id -> freeze.client(id).replica(id, table, freeze.owner()));
    }

    /**
     * The pages of a span of which not all replicas have the same checksums now. No replica has more than a number of
     * bytes in one, and one KV: the replica with the most KVs ends the page.
     */
    private List<KeySpan> differing(List<String> holders, KeySpan whole, long bytes) {
        List<KeySpan> differing = new ArrayList<>();
        KeySpan rest = whole;
        while (Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            KeySpan asked = rest;
            List<Found> first =
                    holders.stream().map(node -> find(node, asked, bytes)).toList();
            byte[] end = rest.end();
            for (Found one : first) {
                end = one.endsBefore(end) ? Objects.requireNonNull(one.page()).end() : end;
            }
            KeySpan page = new KeySpan(rest.start(), end);
            List<Found> found = new ArrayList<>();
            for (int i = 0; i < holders.size(); i++) {
                Found one = first.get(i);
                found.add(one.endsAt(end) ? one : find(holders.get(i), page, ALL_BYTES));
            }
            effects.passing(found.stream().mapToLong(Found::bytes).max().orElse(0));
            if (!found.stream().allMatch(found.get(0)::equalTo)) {
                differing.add(page);
            }
            rest = new KeySpan(end, rest.end());
        }
        return differing;
    }

    private Found find(String node, KeySpan span, long bytes) {
        try {
            return new Found(Replicas.waiting(() -> replica(node).page(span, bytes, true)), "");
        } catch (NodeUnreachableException e) {
            throw e;
        } catch (OperationFailedException e) {
            return new Found(null, String.valueOf(e.getMessage()));
        }
    }

    /** Compares a page while no row of the table changes. */
    private void settle(int range, List<String> holders, KeySpan page) {
        // A comparison alone must not fence a copy of the table.
        if (repair) {
            holders.forEach(node -> replica(node).begin());
        }
        List<TableFreeze.Quiet> quiet = holders.stream().map(freeze::quiet).toList();
        freeze.run(quiet, frozen -> {
            Map<String, Found> found = new LinkedHashMap<>();
            holders.forEach(node -> found.put(node, find(node, page, ALL_BYTES)));
            String right = right(found);
            String reference = right == null ? holders.get(0) : right;
            found.forEach((node, one) -> {
                if (!node.equals(reference) && !one.equalTo(Objects.requireNonNull(found.get(reference)))) {
                    differences.add(difference(range, node, one, reference, right, page));
                }
            });
            return false;
        });
        if (repair) {
            holders.forEach(node -> replica(node).end());
        }
    }

    /** The node with the right replica; null if it is not known. */
    private @Nullable String right(Map<String, Found> found) {
        Found byOperator = trusted == null ? null : found.get(trusted);
        if (byOperator != null && byOperator.sums() != null) {
            return trusted;
        }
        Map<List<KvChecksum>, List<String>> groups = new LinkedHashMap<>();
        found.forEach((node, one) -> {
            if (one.sums() != null) {
                groups.computeIfAbsent(one.sums(), none -> new ArrayList<>()).add(node);
            }
        });
        int most = groups.values().stream().mapToInt(List::size).max().orElse(0);
        List<List<String>> largest =
                groups.values().stream().filter(group -> group.size() == most).toList();
        return largest.size() == 1 ? largest.get(0).get(0) : null;
    }

    private Difference difference(
            int range, String node, Found one, String reference, @Nullable String right, KeySpan page) {
        RemoteReplica source = replica(reference);
        RemoteReplica target = replica(node);
        String kvs = one.problem();
        KvPage good = null;
        try {
            good = whole(source, page);
            kvs = one.sums() == null ? kvs : KvDifferences.describe(table.table(), good, whole(target, page));
        } catch (NodeUnreachableException e) {
            throw e;
        } catch (OperationFailedException e) {
            kvs = kvs.isEmpty() ? String.valueOf(e.getMessage()) : kvs;
        }
        boolean repaired = false;
        if (repair && right != null && good != null) {
            try {
                // The comparison of the page has passed the limit of the rate. Here it would make the freeze longer.
                repaired = target.replace(page, good).equals(good.sums());
            } catch (NodeUnreachableException e) {
                throw e;
            } catch (OperationFailedException e) {
                kvs += "; it cannot be repaired: " + Objects.requireNonNull(e.getMessage());
            }
        }
        return new Difference(range, node, kvs, repaired, right == null);
    }

    /** All KVs of a page; a node sends no more than twice as many bytes as the page had before the freeze. */
    private static KvPage whole(RemoteReplica replica, KeySpan page) {
        KvPage kvs = Replicas.waiting(() -> replica.page(page, ALL_BYTES, false));
        if (!Arrays.equals(kvs.end(), page.end())) {
            throw new OperationFailedException("it has grown too much to be compared at once: verify again");
        }
        return kvs;
    }
}
