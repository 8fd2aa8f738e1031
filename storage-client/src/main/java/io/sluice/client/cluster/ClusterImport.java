package io.sluice.client.cluster;

import io.sluice.api.node.AppendSession;
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
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * An import into several nodes; it has the same id on each of them.
 *
 * <p>The bounds of ranges change only while an index has no KVs on any node ({@link #chooseCuts}), so that shipped KVs
 * never move. An SST is taken when all replicas of its range have taken it. A node that is lost may be left out, as
 * {@link ImportNodes} says. Readers see the table when the last node has published it. In a cluster, an entry of the
 * log publishes it on all nodes; elsewhere a process that resumes the import completes an interrupted publication.
 */
final class ClusterImport implements ImportSession {
    /**
     * Pause before the importer offers an SST again to a node without the directory. The node gets the directory within
     * one or two round trips.
     */
    private static final long DIRECTORY_PAUSE_MILLIS = 100;

    private final NodePool pool;
    private final int replicas;
    private final ImportNodes nodes;
    /** All nodes that took part since this session began. */
    private final Map<String, MemberSession> byId;

    private final boolean resumed;
    private final Table table;
    private final IndexKeys keys;
    /** Nodes with a delivery that others still lack, by its id; a retry skips them. */
    private final Map<UUID, Set<String>> taken = new ConcurrentHashMap<>();

    private final Map<Integer, KvChecksum> shipped = new TreeMap<>();
    private final Set<UUID> counted = new HashSet<>();
    private final @Nullable ClusterAppend append;
    private boolean ended;

    ClusterImport(NodePool pool, int replicas, ImportNodes nodes) {
        this(pool, replicas, nodes, null);
    }

    /**
     * Creates an import on nodes that have begun it.
     *
     * @param append the additional steps if it adds rows to a table; null: the table is new
     */
    ClusterImport(NodePool pool, int replicas, ImportNodes nodes, @Nullable ClusterAppend append) {
        this.append = append;
        this.pool = pool;
        this.replicas = replicas;
        this.nodes = nodes;
        byId = new LinkedHashMap<>();
        nodes.live().forEach(branch -> byId.put(branch.member().id(), branch));
        resumed = nodes.live().stream().anyMatch(branch -> branch.session().resumed());
        table = nodes.live().get(0).session().table();
        keys = new IndexKeys(table);
    }

    @Override
    public Table table() {
        return table;
    }

    @Override
    public boolean resumed() {
        return resumed;
    }

    @Override
    public List<String> warnings() {
        return append == null ? nodes.warnings() : append.warnings();
    }

    @Override
    public synchronized List<byte[]> chooseCuts(int indexId, List<byte[]> proposed) {
        KeySpan index = keys.span(ordinal(indexId));
        synchronized (nodes) {
            // No node is left out meanwhile.
            if (append == null && !Division.isSplit(directory(), index)) {
                // A range never ends between the KVs of one row.
                List<byte[]> borders = keys.borders(ordinal(indexId), proposed);
                assign(division().split(directory(), index, borders).wanting(replicas));
            }
        }
        return Division.cuts(directory(), index);
    }

    /**
     * The placement of new ranges. With fewer nodes than replicas, since nodes were left out, all have them, and the
     * directory says how many replicas the ranges lack. Each table begins at another node: many small tables, of a few
     * ranges each, are spread over all nodes.
     */
    private Division division() {
        List<String> ids = new ArrayList<>(
                nodes.live().stream().map(branch -> branch.member().id()).toList());
        Collections.rotate(ids, -table().id() % ids.size());
        return new Division(ids, Math.min(replicas, ids.size()));
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
        return nodes.directory();
    }

    /** Sends the directory to all nodes; on return, every node has it durably. */
    @Override
    public void assign(RangeDirectory next) {
        nodes.assign(next);
    }

    @Override
    public boolean takesFiles() {
        return nodes.live().stream().anyMatch(each -> each.session().takesFiles());
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        RangeDirectory now = assigned();
        int range = now.rangeOf(sst.smallestKey());
        if (now.rangeOf(sst.largestKey()) != range) {
            return new ShipAnswer.Moved(now);
        }
        ShipAnswer answer = toAll(now, range, sst.id(), sst.indexId(), sst.sum(), (branch, last) -> {
            if (last || !(sst.bytes() instanceof SstBytes.OnDisk)) {
                return branch.session().ship(sst, now.epoch());
            }
            SstFile copy = copyFor(sst, branch.member().id());
            try {
                return branch.session().ship(copy, now.epoch());
            } finally {
                drop(copy);
            }
        });
        if (answer instanceof ShipAnswer.Taken && sst.bytes() instanceof SstBytes.OnDisk) {
            // Still there if the node was left out that was to take the file itself.
            drop(sst);
        }
        return answer;
    }

    /** Links the SST under another name for one node; copies it where hard links are not supported. */
    private static SstFile copyFor(SstFile sst, String node) {
        // Named after the file, not the SST's id: the same SST may be under way twice, and each delivery removes its
        // own file.
        Path link = sst.path().resolveSibling(sst.path().getFileName() + "-" + node + ".sst");
        try {
            Files.deleteIfExists(link);
            link(link, sst.path());
        } catch (IOException e) {
            throw new OperationFailedException(
                    "an SST could not be copied for a replica: " + e.getMessage()
                            + "; name another directory with --tmp",
                    e);
        }
        return sst.at(link);
    }

    private static void link(Path link, Path file) throws IOException {
        try {
            Files.createLink(link, file);
        } catch (UnsupportedOperationException | FileSystemException e) {
            // FAT has no hard links, and ext4 65,000 of a file at most.
            Files.copy(file, link);
        }
    }

    /** Removes a link that a node did not take. */
    private static void drop(SstFile copy) {
        try {
            Files.deleteIfExists(copy.path());
        } catch (IOException e) {
            throw new OperationFailedException(copy.path() + " could not be removed: " + e.getMessage(), e);
        }
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        RangeDirectory now = assigned();
        if (epoch > now.epoch() || !nodes.hasSameBounds(epoch)) {
            return new ShipAnswer.Moved(now);
        }
        ShipAnswer answer =
                toAll(now, batch.part(), batch.id(), batch.indexId(), batch.sum(), (branch, last) -> branch.session()
                        .shuffle(batch, now.epoch()));
        return answer instanceof ShipAnswer.Moved && nodes.hasSameBounds(epoch)
                ? new ShipAnswer.Deferred(DIRECTORY_PAUSE_MILLIS, "directory")
                : answer;
    }

    /** The directory; a single range if {@link #chooseCuts} was not called before the first SST. */
    private RangeDirectory assigned() {
        RangeDirectory now = directory();
        return now.ranges().isEmpty() ? assignSingleRange() : now;
    }

    private RangeDirectory assignSingleRange() {
        synchronized (nodes) {
            if (directory().ranges().isEmpty()) {
                assign(division().singleRange().atEpoch(directory().epoch() + 1).wanting(replicas));
            }
            return directory();
        }
    }

    /**
     * Delivers an SST or a batch to all replicas of a range that do not have it yet. It is taken when no replica is
     * left; one that is left out of the import does not count. A node's deferral does not keep the other nodes from
     * getting it.
     */
    private ShipAnswer toAll(
            RangeDirectory now,
            int range,
            UUID id,
            int indexId,
            KvChecksum sum,
            BiFunction<MemberSession, Boolean, ShipAnswer> delivery) {
        Set<String> had = taken.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet());
        List<MemberSession> missing = now.ranges().get(range).nodes().stream()
                .filter(node -> !had.contains(node))
                .map(this::branch)
                .toList();
        ShipAnswer worst = new ShipAnswer.Taken();
        for (int i = 0; i < missing.size(); i++) {
            MemberSession branch = missing.get(i);
            // The last replica gets the file itself, once all others have it.
            boolean last = i == missing.size() - 1 && worst instanceof ShipAnswer.Taken;
            ShipAnswer answer =
                    nodes.ask(branch, each -> each.deliver(id, indexId, sum, () -> delivery.apply(each, last)));
            if (answer == null) {
                continue;
            }
            if (answer instanceof ShipAnswer.Taken) {
                had.add(branch.member().id());
            } else if (answer instanceof ShipAnswer.Moved moved) {
                return moved(now, branch, moved);
            } else if (answer instanceof ShipAnswer.Refused || answer instanceof ShipAnswer.NotRead) {
                return answer;
            } else {
                worst = answer;
            }
        }
        if (worst instanceof ShipAnswer.Taken) {
            taken.remove(id);
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
            throw new OperationFailedException("some keys of table " + table().name() + " are on "
                    + TableView.described(directory(), node) + ", which is none of the nodes given; name it, too");
        }
        return branch;
    }

    /**
     * Handles a node with another directory than expected: another index is being split, or another process resumes the
     * import.
     */
    private ShipAnswer moved(RangeDirectory then, MemberSession branch, ShipAnswer.Moved moved) {
        synchronized (nodes) {
            // A concurrent change of the directory has finished.
            RangeDirectory directory = nodes.directory();
            if (moved.directory().epoch() > directory.epoch()) {
                throw new OperationFailedException("node " + branch.member().described()
                        + " has a later range directory of table " + table().name()
                        + " than this import; another process has resumed the same import");
            }
            return directory.epoch() > then.epoch()
                    ? new ShipAnswer.Moved(directory)
                    : new ShipAnswer.Deferred(
                            DIRECTORY_PAUSE_MILLIS, "node " + branch.member().described() + ": directory");
        }
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        nodes.each(branch -> branch.session().putCheckpoint(key, value));
    }

    /**
     * The checkpoint records that all nodes together have. A node that lost power may have lost unsynced SSTs together
     * with the record that they were done, while other nodes have the record. So such a record counts only if all nodes
     * have it. A record of a span counts only if it is equal on all nodes, since a later attempt may have ended the
     * span elsewhere.
     */
    @Override
    public Map<String, byte[]> checkpoints() {
        List<Map<String, byte[]>> all = nodes.all(branch -> branch.session().checkpoints());
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
        return nodes.all(branch -> branch.session().finalizeIngest()).stream()
                .reduce(new IngestReport(0, 0, 0, 0, 0, 0, 0), IngestReport::plus);
    }

    @Override
    public List<IndexChecksum> present() {
        // This session does not know what an earlier attempt shipped.
        if (!resumed() && !nodes.anyLeftOut()) {
            List<MemberSession> asked = nodes.live();
            List<List<IndexChecksum>> found =
                    nodes.all(branch -> branch.session().present());
            if (found.size() == asked.size()) {
                return new Shares(table(), asked, replicas).union(sums(), found);
            }
        }
        // Ranges differ in their number of replicas: counts of nodes do not tell how many keys were repeated.
        return readBack().indexes();
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        TableDigest read = null;
        while (read == null) {
            // Again without a node that was left out meanwhile.
            read = new ReadBack(pool, table(), directory(), this::readBack).run(spans);
        }
        return read;
    }

    private @Nullable TableDigest readBack(String node, List<KeySpan> spans) {
        return nodes.ask(branch(node), branch -> branch.session().readBack(spans));
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
    public @Nullable AppendSession append() {
        return append;
    }

    @Override
    public void publish(List<IndexChecksum> imported) {
        if (append != null) {
            // Its undo has no effect on a published append, and waits while it may be published.
            append.publish(imported);
            ended = true;
            return;
        }
        // From here on the import may be resumed, but not undone.
        ended = true;
        nodes.publish(table.id(), imported);
    }

    /** Detaches from all reachable nodes; the others keep the import, too. */
    @Override
    public void detach() {
        ended = true;
        pool.tryAll(nodes.live(), branch -> {
            branch.session().detach();
            return true;
        });
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            pool.each(nodes.live(), branch -> branch.session().close());
        }
    }

    @Override
    public int nodes() {
        return nodes.live().size();
    }

    @Override
    public Map<String, Long> shippingMillis() {
        Map<String, Long> millis = new LinkedHashMap<>();
        byId.values().forEach(branch -> millis.put(branch.member().described(), branch.shippingMillis()));
        return millis;
    }
}
