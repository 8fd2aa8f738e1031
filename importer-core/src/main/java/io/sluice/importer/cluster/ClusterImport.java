package io.sluice.importer.cluster;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.importer.ship.NodeGroup;
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
 * An import into several nodes. It is one import of the same id on each of them.
 *
 * <p>The directory is changed only while an index has no KVs on any node ({@link #chooseCuts}), so that what was
 * shipped never has to move. An SST is taken when all replicas of its range have taken it. The table is there for
 * readers when the last node has published it: a publication that is cut off is gone on with by whoever resumes the
 * import.
 */
final class ClusterImport implements ImportSession, NodeGroup {
    /** A node that was asked before it knew the directory; it is told within a round trip or two. */
    private static final long DIRECTORY_PAUSE_MILLIS = 100;

    private final NodePool fleet;
    private final Division division;
    private final List<MemberSession> branches;
    private final Map<String, MemberSession> byId;
    private final Map<String, String> addresses;
    private final IndexKeys keys;
    private final Deliveries deliveries = new Deliveries();
    private final Map<Integer, KvChecksum> shipped = new TreeMap<>();
    private final Set<UUID> counted = new HashSet<>();
    private volatile RangeDirectory directory;
    private boolean over;

    ClusterImport(NodePool fleet, Division division, List<MemberSession> branches, RangeDirectory directory) {
        this.fleet = fleet;
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
        if (!Division.isDivided(directory, index)) {
            assign(division.divide(directory, index, proposed));
        }
        return Division.cuts(directory, index);
    }

    private int ordinal(int indexId) {
        for (int i = 0; i < table().indexes().size(); i++) {
            if (table().indexes().get(i).def().id() == indexId) {
                return i;
            }
        }
        throw new IllegalArgumentException("table " + table().name() + " has no index with id " + indexId);
    }

    @Override
    public RangeDirectory directory() {
        return directory;
    }

    /** Tells all nodes; when it returns, every one of them knows durably. */
    @Override
    public synchronized void assign(RangeDirectory next) {
        RangeDirectory addressed = next.at(addresses);
        fleet.each(branches, branch -> branch.session().assign(addressed));
        directory = addressed;
    }

    @Override
    public boolean needsSyncedFiles() {
        return branches.stream().anyMatch(each -> each.session().needsSyncedFiles());
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        RangeDirectory now = assigned();
        int range = now.rangeOf(sst.smallestKey());
        if (now.rangeOf(sst.largestKey()) != range) {
            return new ShipAnswer.Moved(now);
        }
        return toAll(now, range, sst.id(), sst.indexId(), sst.sum(), (branch, last) -> {
            if (last) {
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

    /** The directory; one range for everything, if nobody asked for more before the first SST came. */
    private RangeDirectory assigned() {
        RangeDirectory now = directory;
        return now.ranges().isEmpty() ? assignUndivided() : now;
    }

    private synchronized RangeDirectory assignUndivided() {
        if (directory.ranges().isEmpty()) {
            assign(division.undivided());
        }
        return directory;
    }

    /**
     * Delivers to all replicas of a range that do not have it yet; taken when none is left. What a node answers does
     * not keep the others from being asked.
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
            // Only who comes last, when all others have it, may take the file itself.
            boolean last = i == missing.size() - 1 && worst instanceof ShipAnswer.Taken;
            ShipAnswer answer = branch.deliver(id, indexId, sum, () -> delivery.apply(branch, last));
            if (answer instanceof ShipAnswer.Taken) {
                taken.add(branch.member().id());
            } else if (answer instanceof ShipAnswer.Moved moved) {
                return moved(now, branch, moved);
            } else if (answer instanceof ShipAnswer.Refused) {
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

    /** A node knows another directory than was meant: another index is being divided, or somebody else divides. */
    private ShipAnswer moved(RangeDirectory then, MemberSession branch, ShipAnswer.Moved moved) {
        synchronized (this) {
            // Whoever was dividing is done.
            if (moved.directory().epoch() > directory.epoch()) {
                throw new OperationFailedException("node " + branch.member().name()
                        + " knows a later division of table " + table().name()
                        + " than this import made; another process goes on with the same import");
            }
            return directory.epoch() > then.epoch()
                    ? new ShipAnswer.Moved(directory)
                    : new ShipAnswer.Deferred(
                            DIRECTORY_PAUSE_MILLIS, "node " + branch.member().name() + ": directory");
        }
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        fleet.each(branches, branch -> branch.session().putCheckpoint(key, value));
    }

    /**
     * What all nodes together know. A node that lost power may have lost what it took and had not synced; it then lacks
     * the claim that this was done, while others have it. So a claim counts only if all nodes have it; and of those
     * about a stretch of the input only if all have the same, because a later attempt may have ended it elsewhere.
     */
    @Override
    public Map<String, byte[]> checkpoints() {
        List<Map<String, byte[]>> all =
                fleet.all(branches, branch -> branch.session().checkpoints());
        Map<String, byte[]> notes = new TreeMap<>();
        all.forEach(some -> some.forEach(notes::putIfAbsent));
        notes.entrySet().removeIf(note -> !counts(note.getKey(), note.getValue(), all));
        return notes;
    }

    private static boolean counts(String key, byte[] value, List<Map<String, byte[]>> all) {
        if (key.startsWith(ImportSession.DONE)) {
            return all.stream().allMatch(some -> Arrays.equals(value, some.get(key)));
        }
        return !key.equals(ImportSession.FINISHED) || all.stream().allMatch(some -> some.containsKey(key));
    }

    @Override
    public IngestReport finalizeIngest() {
        // Readers find a table by its directory, also one to which nothing came.
        assigned();
        return Reports.together(fleet.all(branches, branch -> branch.session().finalizeIngest()));
    }

    @Override
    public List<IndexChecksum> present() {
        if (resumed()) {
            // What an earlier attempt shipped is not known here.
            return readBack().indexes();
        }
        List<List<IndexChecksum>> found =
                fleet.all(branches, branch -> branch.session().present());
        return new Shares(table(), branches, division.replicas()).union(sums(), found);
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        return new ReadBack(fleet, table(), directory, this::branch).run(spans);
    }

    /** What was shipped, every SST once, in the table's order of indexes. */
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
        // From here on the import may be gone on with, but not be undone.
        over = true;
        fleet.each(branches, branch -> branch.session().publish(imported));
    }

    /** Leaves the import on all nodes that can be reached; on the others it stays as well. */
    @Override
    public void detach() {
        over = true;
        fleet.tryAll(branches, branch -> {
            branch.session().detach();
            return true;
        });
    }

    @Override
    public void close() {
        if (!over) {
            over = true;
            fleet.each(branches, branch -> branch.session().close());
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
