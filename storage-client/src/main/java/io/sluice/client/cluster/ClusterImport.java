package io.sluice.client.cluster;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * An import into several nodes; it has the same id on each of them.
 *
 * <p>The directory changes only while an index has no KVs on any node ({@link #chooseCuts}), so that shipped KVs never
 * move. An SST is taken when all replicas of its range have taken it. Readers see the table when the last node has
 * published it. A process that resumes the import completes an interrupted publication.
 */
final class ClusterImport implements ImportSession {
    /**
     * Pause before the importer offers an SST again to a node without the directory. The node gets the directory within
     * one or two round trips.
     */
    private static final long DIRECTORY_PAUSE_MILLIS = 100;

    private final NodePool pool;
    private final Division division;
    private final List<MemberSession> branches;
    private final Map<String, MemberSession> byId;
    private final Map<String, String> addresses;
    private final IndexKeys keys;
    private final Deliveries deliveries = new Deliveries();
    private final Map<Integer, KvChecksum> shipped = new TreeMap<>();
    private final Set<UUID> counted = new HashSet<>();
    private volatile RangeDirectory directory;
    private boolean ended;

    ClusterImport(NodePool pool, Division division, List<MemberSession> branches, RangeDirectory directory) {
        this.pool = pool;
        this.division = division;
        this.branches = List.copyOf(branches);
        this.directory = directory;
        byId = new LinkedHashMap<>();
        branches.forEach(branch -> byId.put(branch.member().id(), branch));
        addresses = new LinkedHashMap<>();
        byId.forEach((id, branch) -> addresses.put(id, branch.member().name()));
        keys = new IndexKeys(table());
    }

    @Override
    public Table table() {
        return branches.get(0).session().table();
    }

    @Override
    public boolean resumed() {
        return branches.stream().anyMatch(branch -> branch.session().resumed());
    }

    @Override
    public synchronized List<byte[]> chooseCuts(int indexId, List<byte[]> proposed) {
        KeySpan index = keys.span(ordinal(indexId));
        if (!Division.isSplit(directory, index)) {
            assign(division.split(directory, index, proposed));
        }
        return Division.cuts(directory, index);
    }

    private int ordinal(int indexId) {
        int ordinal = table().ordinal(indexId);
        if (ordinal < 0) {
            throw new IllegalArgumentException("table " + table().name() + " has no index with id " + indexId);
        }
        return ordinal;
    }

    @Override
    public RangeDirectory directory() {
        return directory;
    }

    /** Sends the directory to all nodes; on return, every node has it durably. */
    @Override
    public synchronized void assign(RangeDirectory next) {
        RangeDirectory addressed = next.at(addresses);
        pool.each(branches, branch -> branch.session().assign(addressed));
        directory = addressed;
    }

    @Override
    public boolean takesFiles() {
        return branches.stream().anyMatch(each -> each.session().takesFiles());
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        RangeDirectory now = assigned();
        int range = now.rangeOf(sst.smallestKey());
        if (now.rangeOf(sst.largestKey()) != range) {
            return new ShipAnswer.Moved(now);
        }
        return toAll(now, range, sst.id(), sst.indexId(), sst.sum(), (branch, last) -> {
            if (last || !(sst.bytes() instanceof SstBytes.OnDisk)) {
                return branch.session().ship(sst, now.epoch());
            }
            SstFile copy = Copies.forReplica(sst, branch.member().id());
            try {
                return branch.session().ship(copy, now.epoch());
            } finally {
                Copies.drop(copy);
            }
        });
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        RangeDirectory now = assigned();
        return now.epoch() == epoch
                ? toAll(now, batch.part(), batch.id(), batch.indexId(), batch.sum(), (branch, last) -> branch.session()
                        .shuffle(batch, now.epoch()))
                : new ShipAnswer.Moved(now);
    }

    /** The directory; a single range if {@link #chooseCuts} was not called before the first SST. */
    private RangeDirectory assigned() {
        RangeDirectory now = directory;
        return now.ranges().isEmpty() ? assignSingleRange() : now;
    }

    private synchronized RangeDirectory assignSingleRange() {
        if (directory.ranges().isEmpty()) {
            assign(division.singleRange());
        }
        return directory;
    }

    /**
     * Delivers an SST or a batch to all replicas of a range that do not have it yet. It is taken when no replica is
     * left. A node's deferral does not keep the other nodes from getting it.
     */
    private ShipAnswer toAll(
            RangeDirectory now,
            int range,
            UUID id,
            int indexId,
            KvChecksum sum,
            BiFunction<MemberSession, Boolean, ShipAnswer> delivery) {
        Set<String> taken = deliveries.of(id);
        List<MemberSession> missing = now.ranges().get(range).nodes().stream()
                .filter(node -> !taken.contains(node))
                .map(this::branch)
                .toList();
        ShipAnswer worst = new ShipAnswer.Taken();
        for (int i = 0; i < missing.size(); i++) {
            MemberSession branch = missing.get(i);
            // The last replica gets the file itself, once all others have it.
            boolean last = i == missing.size() - 1 && worst instanceof ShipAnswer.Taken;
            ShipAnswer answer = branch.deliver(id, indexId, sum, () -> delivery.apply(branch, last));
            if (answer instanceof ShipAnswer.Taken) {
                taken.add(branch.member().id());
            } else if (answer instanceof ShipAnswer.Moved moved) {
                return moved(now, branch, moved);
            } else if (answer instanceof ShipAnswer.Refused || answer instanceof ShipAnswer.NotRead) {
                return answer;
            } else {
                worst = answer;
            }
        }
        if (worst instanceof ShipAnswer.Taken) {
            deliveries.done(id);
            synchronized (shipped) {
                if (counted.add(id)) {
                    shipped.merge(indexId, sum, KvChecksum::plus);
                }
            }
        }
        return worst;
    }

    private MemberSession branch(String node) {
        MemberSession branch = byId.get(node);
        if (branch == null) {
            throw new OperationFailedException("some keys of table " + table().name() + " are on node " + node
                    + ", which is none of the nodes given; name it with --nodes");
        }
        return branch;
    }

    /**
     * Handles a node with another directory than expected: another index is being split, or another process resumes the
     * import.
     */
    private ShipAnswer moved(RangeDirectory then, MemberSession branch, ShipAnswer.Moved moved) {
        synchronized (this) {
            // A concurrent assign() has finished.
            if (moved.directory().epoch() > directory.epoch()) {
                throw new OperationFailedException("node " + branch.member().name()
                        + " has a later range directory of table " + table().name()
                        + " than this import; another process has resumed the same import");
            }
            return directory.epoch() > then.epoch()
                    ? new ShipAnswer.Moved(directory)
                    : new ShipAnswer.Deferred(
                            DIRECTORY_PAUSE_MILLIS, "node " + branch.member().name() + ": directory");
        }
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        pool.each(branches, branch -> branch.session().putCheckpoint(key, value));
    }

    /**
     * The checkpoint records that all nodes together have. A node that lost power may have lost unsynced SSTs together
     * with the record that they were done, while other nodes have the record. So such a record counts only if all nodes
     * have it. A record of a span counts only if it is equal on all nodes, since a later attempt may have ended the
     * span elsewhere.
     */
    @Override
    public Map<String, byte[]> checkpoints() {
        List<Map<String, byte[]>> all =
                pool.all(branches, branch -> branch.session().checkpoints());
        Map<String, byte[]> records = new TreeMap<>();
        all.forEach(some -> some.forEach(records::putIfAbsent));
        records.entrySet().removeIf(record -> !counts(record.getKey(), record.getValue(), all));
        return records;
    }

    private static boolean counts(String key, byte[] value, List<Map<String, byte[]>> all) {
        if (key.startsWith(ImportSession.DONE)) {
            return all.stream().allMatch(some -> Arrays.equals(value, some.get(key)));
        }
        return !key.equals(ImportSession.FINISHED) || all.stream().allMatch(some -> some.containsKey(key));
    }

    @Override
    public IngestReport finalizeIngest() {
        // Readers need the directory, even of an empty table.
        assigned();
        return Reports.together(pool.all(branches, branch -> branch.session().finalizeIngest()));
    }

    @Override
    public List<IndexChecksum> present() {
        if (resumed()) {
            // This session does not know what an earlier attempt shipped.
            return readBack().indexes();
        }
        List<List<IndexChecksum>> found =
                pool.all(branches, branch -> branch.session().present());
        return new Shares(table(), branches, division.replicas()).union(sums(), found);
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        return new ReadBack(pool, table(), directory, this::branch).run(spans);
    }

    /** Checksums of the shipped KVs, every SST once, in the table's order of indexes. */
    private List<IndexChecksum> sums() {
        synchronized (shipped) {
            return table().indexes().stream()
                    .map(index -> new IndexChecksum(
                            index.def().name(), shipped.getOrDefault(index.def().id(), KvChecksum.EMPTY)))
                    .toList();
        }
    }

    @Override
    public void publish(List<IndexChecksum> imported) {
        // From here on the import may be resumed, but not undone.
        ended = true;
        pool.each(branches, branch -> branch.session().publish(imported));
    }

    /** Detaches from all reachable nodes; the others keep the import, too. */
    @Override
    public void detach() {
        ended = true;
        pool.tryAll(branches, branch -> {
            branch.session().detach();
            return true;
        });
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            pool.each(branches, branch -> branch.session().close());
        }
    }

    @Override
    public int nodes() {
        return branches.size();
    }

    @Override
    public Map<String, Long> shippingMillis() {
        Map<String, Long> millis = new LinkedHashMap<>();
        branches.forEach(branch -> millis.put(branch.member().name(), branch.shippingMillis()));
        return millis;
    }
}
