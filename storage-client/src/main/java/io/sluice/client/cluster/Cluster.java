package io.sluice.client.cluster;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.NodeStatus.Load;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.api.transaction.Placement;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several storage nodes as one {@link NodeClient}. Keys are split into ranges. Each range has replicas on one or more
 * nodes: a write goes to all of them, a read to any. This class creates the range directory, and each node stores it.
 *
 * <p>Changes of whole tables need all nodes that took part in the table's import, and imports need all nodes of this
 * client unless the nodes have a replicated log, which lets imports and drops go on without a lost node. Reads need one
 * replica of each range; if the member list lacks all replicas of a range, reads of the table fail. Owns the clients.
 */
public final class Cluster implements NodeClient {
    private final NodePool pool;
    private final int replicas;
    private final @Nullable ClusterLog log;
    private final long giveUpMillis;

    /**
     * Creates a cluster.
     *
     * @param nodes nodes by their name in messages, such as the address, in the order of range placement
     * @param replicas number of replicas of new tables' ranges
     * @throws BadInputException when there are fewer nodes than replicas
     */
    public Cluster(Map<String, NodeClient> nodes, int replicas) {
        this(nodes, replicas, null, 0);
    }

    /**
     * Creates a cluster whose nodes have a replicated log: imports leave lost nodes out.
     *
     * @param log the log; null: there is none
     * @param giveUpMillis how long a node that an import cannot leave out may not answer; the clients may ask for less
     */
    public Cluster(Map<String, NodeClient> nodes, int replicas, @Nullable ClusterLog log, long giveUpMillis) {
        if (replicas < 1 || replicas > nodes.size()) {
            throw new BadInputException(replicas + " replicas: must be from 1 to the number of nodes, " + nodes.size());
        }
        List<Member> members = new ArrayList<>();
        nodes.forEach((name, client) -> members.add(new Member(name, log == null ? name : log.describe(name), client)));
        pool = new NodePool(members);
        this.replicas = replicas;
        this.log = log;
        this.giveUpMillis = giveUpMillis;
    }

    @Override
    public List<TableStatus> tables() {
        return tables(Set.of());
    }

    /**
     * The readable tables.
     *
     * @param without names of members that are not asked
     */
    List<TableStatus> tables(Set<String> without) {
        return visible(without).stream().map(TableView::status).toList();
    }

    /**
     * The placements of all readable tables.
     *
     * @param without names of members that are not asked
     */
    List<Placement> placements(Set<String> without) {
        return visible(without).stream()
                // Without holders: different tables have the same name.
                .filter(table -> !table.holders().isEmpty())
                .map(table -> new Placement(table.status().table(), table.directory()))
                .toList();
    }

    /**
     * The replicas of all tables with ranges on these nodes.
     *
     * @param up ids of the nodes that answer
     */
    public List<TableReplicas> replicas(Set<String> up) {
        return placements(Set.of()).stream()
                .map(table -> TableReplicas.of(table.table().name(), table.directory(), up))
                .toList();
    }

    /**
     * Computes where the tables' ranges are without some nodes. Changes that only such a node has counted, and which it
     * cannot tell, are counted by reading the table.
     *
     * @param leaving ids of the nodes; they need not answer, but all others with a range of these tables must
     * @throws BadInputException when these nodes have the only replicas of a range
     * @throws OperationFailedException when a table was changed while it was read
     */
    public List<ClusterChange.Moved> without(Set<String> leaving) {
        return new Removal(pool, leaving).moved(this::visible);
    }

    /**
     * Computes where the tables' ranges are without a node that is lost. It stays where no other node that answers has
     * the range.
     *
     * @param node its id; this client does not have it
     * @return the tables that change
     */
    public List<ClusterChange.Moved> leavingOut(String node) {
        return Removal.leavingOut(visible(), node);
    }

    /**
     * Counts the rows of tables that a lost node was left out of, or that want other replicas.
     *
     * @param replicas wanted number of replicas of a table, from now on
     * @param failed receives a sentence about each table that cannot be counted now
     * @return the tables, with checksums that include all changes
     */
    public List<ClusterChange.Moved> recounted(ToIntFunction<TableStatus> replicas, Consumer<String> failed) {
        return new Removal(pool, Set.of(), replicas).recounted(this::visible, failed);
    }

    private List<TableView> visible() {
        return visible(Set.of());
    }

    private List<TableView> visible(Set<String> without) {
        List<Member> asked = pool.members().stream()
                .filter(member -> !without.contains(member.name()))
                .toList();
        Map<Member, List<TableStatus>> answers = pool.reachable(asked, member -> {
            member.id();
            return member.client().tables();
        });
        return TableView.all(answers, silent(answers.keySet()), log != null);
    }

    /** Members that did not answer, described, by address. */
    private Map<String, String> silent(Set<Member> reached) {
        return pool.members().stream()
                .filter(member -> !reached.contains(member))
                .collect(Collectors.toMap(Member::name, Member::described, (one, same) -> one, TreeMap::new));
    }

    @Override
    public @Nullable TableStatus table(String name) {
        TableView table = find(name);
        return table == null ? null : table.status();
    }

    private @Nullable TableView find(String name) {
        Map<Member, List<TableStatus>> answers = pool.reachable(member -> {
            member.id();
            TableStatus status = member.client().table(name);
            return status == null ? List.of() : List.of(status);
        });
        Map<Member, TableStatus> found = new LinkedHashMap<>();
        answers.forEach((member, status) -> status.forEach(one -> found.put(member, one)));
        return TableView.of(log == null ? found : TableView.present(found), answers.keySet(), silent(answers.keySet()));
    }

    private TableView require(String name) {
        TableView table = find(name);
        if (table == null) {
            throw new BadInputException("there is no table " + name);
        }
        table.requireCovered();
        return table;
    }

    /** The status of all nodes together: sums, the greatest height, and the first node with a limiter. */
    @Override
    public NodeStatus status() {
        Map<Member, NodeStatus> all = pool.reachable(member -> member.client().status());
        Load sum = new Load(0, 0, 0, 0, Long.MAX_VALUE, "");
        for (Map.Entry<Member, NodeStatus> each : all.entrySet()) {
            sum = sum.plus(each.getValue().load(), "node " + each.getKey().described());
        }
        return new NodeStatus(
                all.values().stream().map(NodeStatus::id).collect(Collectors.joining("+")),
                all.values().stream().map(NodeStatus::version).reduce("", (first, last) -> last),
                all.values().stream().mapToInt(NodeStatus::nextTableId).max().orElse(1),
                sum);
    }

    @Override
    public ImportSession beginImport(ImportRequest request) {
        if (request.append()) {
            return beginAppend(request);
        }
        return new ImportOpener(pool, log, TimeUnit.MILLISECONDS.toNanos(giveUpMillis), request).run(replicas);
    }

    private ImportSession beginAppend(ImportRequest request) {
        try {
            return tryBeginAppend(request);
        } catch (NodeUnreachableException e) {
            // A node that answers may have no contact to most others: then the cluster goes on without it.
            ClusterLog cluster = log;
            String node = cluster == null ? null : cluster.id(e.node());
            if (cluster == null || node == null || !cluster.leaveOut(node)) {
                throw e;
            }
            return tryBeginAppend(request);
        }
    }

    private ImportSession tryBeginAppend(ImportRequest request) {
        String name = request.table().name();
        TableView table = require(name);
        Member alone = table.undividedOn();
        if (alone != null) {
            return alone.client().beginImport(request);
        }
        ClusterLog cluster = log;
        if (cluster == null
                || !cluster.nodes().keySet().containsAll(table.directory().nodes())) {
            throw new BadInputException("table " + name + " is split into key ranges for several nodes, which are no"
                    + " cluster; rows can be added to such a table only in a cluster: start its nodes with --cluster");
        }
        List<String> lost = table.directory().nodes().stream()
                .filter(node -> !table.holders().containsKey(node))
                .toList();
        boolean leftOut = !lost.isEmpty();
        for (String node : lost) {
            leftOut &= cluster.leaveOut(node);
        }
        TableView found = leftOut ? require(name) : table;
        for (String node : found.directory().nodes()) {
            if (!found.holders().containsKey(node)) {
                throw new OperationFailedException(found.described(node) + "; it has ranges of table " + name
                        + " that no other node has; start it, and" + " import again");
            }
        }
        return ClusterAppend.begin(pool, cluster, request, found);
    }

    @Override
    public @Nullable List<@Nullable String> get(String table, List<String> key) {
        return Replicas.<@Nullable List<@Nullable String>>reading(() -> require(table), found -> get(found, key));
    }

    private static @Nullable List<@Nullable String> get(TableView table, List<String> key) {
        Table bound = table.status().table();
        Member only = table.onlyHolder();
        if (only != null) {
            return only.client().get(bound.name(), key);
        }
        byte[] encoded = new IndexKeys(bound).primaryKey(KeyTexts.primaryKey(bound, key));
        int range = table.directory().rangeOf(encoded);
        return Replicas.ask(table.holdersOf(range), member -> member.client().get(bound.name(), key));
    }

    @Override
    public RowCursor scan(ScanRequest request) {
        return Replicas.reading(() -> require(request.table()), table -> scan(table, request));
    }

    private RowCursor scan(TableView table, ScanRequest request) {
        Table bound = table.status().table();
        int ordinal = bound.ordinal(request.index());
        Member alone = table.undividedOn();
        if (alone != null) {
            return alone.client().scan(request);
        }
        Member only = table.onlyHolder();
        if (only != null && request.within() == null) {
            // The node refuses a span of which it does not have all ranges any more.
            return only.client().scan(request.within(KeySpan.ALL));
        }
        KeySpan span = KeyTexts.span(bound, new IndexKeys(bound), ordinal, request.from(), request.to());
        if (ordinal == 0 || request.content() != Content.ROW) {
            return new RangeScan(table, () -> require(request.table()), request, span);
        }
        return new RowFetch(
                bound.primary().def().columns().size(),
                request.limit(),
                (after, limit) ->
                        entries(table, request, limit, after == null ? span : span.from(KeySpan.prefixEnd(after))),
                entries -> {
                    long end = System.nanoTime() + Replicas.FOLLOW_NANOS;
                    return pool.all(entries, entry -> fetch(table, request, entry, end));
                });
    }

    /** The entries of a secondary index in a span: primary keys, each with the key of its entry. */
    private RangeScan entries(TableView table, ScanRequest request, long limit, KeySpan span) {
        ScanRequest entries = new ScanRequest(
                request.table(),
                request.index(),
                request.from(),
                request.to(),
                limit,
                request.within(),
                Content.KEY_AND_ENTRY);
        return new RangeScan(table, () -> require(request.table()), entries, span);
    }

    /**
     * Fetches the row of an entry; empty if a statement has deleted both meanwhile. Nodes learn of a commit one after
     * the other, so this reads an entry without a row again before the table counts as damaged.
     *
     * @param end when it does
     */
    private Optional<List<@Nullable String>> fetch(
            TableView table, ScanRequest request, RowFetch.Entry entry, long end) {
        while (true) {
            List<@Nullable String> row = fetch(table, entry.primaryKey());
            if (row != null) {
                return Optional.of(row);
            }
            byte[] key = entry.key();
            if (key != null && !isThere(table, request, key)) {
                return Optional.empty();
            }
            if (key == null || System.nanoTime() - end > 0) {
                throw new OperationFailedException("table "
                        + table.status().table().name() + ": an index has an entry for primary key ("
                        + String.join(", ", entry.primaryKey())
                        + "), but there is no such row; the table is damaged: drop it and import it again");
            }
            TableFreeze.pause();
        }
    }

    private boolean isThere(TableView table, ScanRequest request, byte[] entry) {
        try (RangeScan again = entries(table, request, 1, KeySpan.ofPrefix(entry))) {
            return again.next() != null;
        }
    }

    private @Nullable List<@Nullable String> fetch(TableView table, List<String> key) {
        try {
            return get(table, key);
        } catch (NodeUnreachableException e) {
            if (!e.readAgain()) {
                throw e;
            }
            return get(table.status().table().name(), key);
        }
    }

    /** As many cuts of each node's own ranges, in equal steps: the nodes hold about equal shares. */
    @Override
    public List<byte[]> splitKeys(String table, int parts) {
        TableView view = require(table);
        Set<Member> holders = Set.copyOf(view.holders().values());
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        pool.all(List.copyOf(holders), member -> member.client().splitKeys(table, parts))
                .forEach(keys::addAll);
        List<byte[]> all = List.copyOf(keys);
        if (all.size() < parts) {
            return all;
        }
        List<byte[]> chosen = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            chosen.add(all.get((int) ((long) i * all.size() / parts)));
        }
        return chosen;
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        AtomicReference<KeySpan> rest = new AtomicReference<>(span);
        AtomicBoolean more = new AtomicBoolean(true);
        Predicate<KvPage> next = page -> {
            rest.set(new KeySpan(page.end(), span.end()));
            more.set(pages.test(page));
            return more.get();
        };
        Boolean unused = Replicas.reading(() -> require(table), view -> {
            for (int range = 0; more.get() && range < view.directory().ranges().size(); range++) {
                KeySpan within = view.directory().span(range);
                // A replica goes on where another one has failed.
                Boolean unusedRead = Replicas.ask(view.holdersOf(range), member -> {
                    KeySpan left = Objects.requireNonNull(rest.get()).common(within);
                    member.client().readKvs(table, left, next);
                    return true;
                });
            }
            return true;
        });
    }

    @Override
    public TableDigest digest(String table) {
        return Replicas.reading(() -> require(table), found -> {
            Member alone = found.undividedOn();
            return alone != null
                    ? alone.client().digest(table)
                    : new ClusterDigest(pool, found).of(List.of(KeySpan.ALL));
        });
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        return Replicas.reading(() -> require(table), found -> new ClusterDigest(pool, found).of(spans));
    }

    /**
     * Removes a table from all nodes, also one that only some of them have. With a replicated log, most of its nodes
     * must answer; the others remove their part when they are back.
     *
     * @throws BadInputException when no node has it, or others are interleaved in it
     * @throws OperationFailedException when a node outside the member list has it, too; nothing is removed
     * @throws NodeUnreachableException when a node does not answer and there is no log; a repeated call skips the nodes
     *     that are done
     */
    @Override
    public void drop(String table) {
        TableAnswers answers = TableAnswers.of(pool, table, log);
        if (log != null && answers.found().isEmpty() && answers.ids().size() * 2 > log.members()) {
            String silent = answers.silentNames();
            throw new BadInputException("there is no table " + table
                    + (silent.isEmpty() ? "" : " on the nodes that answer; no answer from " + silent));
        }
        if (log == null || !answers.areOf(log)) {
            pool.each(answers.holders(), member -> member.client().drop(table));
        } else {
            List<Member> answering = pool.members().stream()
                    .filter(member -> !answers.silent().containsKey(member))
                    .toList();
            new TableDrop(pool, log).run(answering, answers.found());
        }
    }

    /**
     * The tuning of the first node, with the counts of all nodes added. With a replicated log, nodes that do not answer
     * are left out and named in the status.
     */
    @Override
    public TuningStatus tuning(String table) {
        return tuned(table, client -> client.tuning(table));
    }

    /** Tunes the table as {@link #tuning} reads it: a node that does not answer keeps its settings. */
    @Override
    public TuningStatus tune(String table, TableTuning tuning) {
        return tuned(table, client -> client.tune(table, tuning));
    }

    private TuningStatus tuned(String table, Function<NodeClient, TuningStatus> request) {
        TableAnswers answers = TableAnswers.of(pool, table, log);
        boolean some = log != null && answers.areOf(log);
        List<Member> holders = some ? List.copyOf(answers.found().keySet()) : answers.holders();
        List<TuningStatus> all = pool.all(holders, member -> request.apply(member.client()));
        TuningStatus status = all.stream().skip(1).reduce(all.get(0), TuningStatus::plus);
        return some && !answers.silent().isEmpty() ? status.without(answers.silentNames()) : status;
    }

    @Override
    public @Nullable String unresponsiveNode() {
        for (Member member : pool.members()) {
            String silent = member.client().unresponsiveNode();
            if (silent != null) {
                return silent;
            }
        }
        return null;
    }

    @Override
    public void close() {
        pool.close();
    }
}
