package io.sluice.sql;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RangeDirectory.Range;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.node.NodeSettings;
import io.sluice.node.SteadyClock;
import io.sluice.node.StorageNode;
import io.sluice.sql.distributed.DecisionLog;
import io.sluice.sql.distributed.Decisions;
import io.sluice.sql.distributed.DistributedTables;
import io.sluice.sql.distributed.Peers;
import io.sluice.sql.distributed.Resolver;
import io.sluice.sql.distributed.TransactionParticipant;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Three stores and a coordinator in this process, without a network. Tables are sharded by the first column of each
 * index. Its values below 300 alternate between the stores: first in ranges of ten, then in ranges of a hundred.
 */
final class DistributedStores implements AutoCloseable {
    static final int NODES = 3;
    /** Values of an index's first column at which the range of the next node begins. */
    private static final int[] CUTS = {10, 20, 30, 100, 200};

    private final Path directory;
    private final int replicas;
    private final long askAfterMillis;
    private final Clock clock;
    private final StorageNode[] nodes = new StorageNode[NODES];
    private final String[] ids = new String[NODES];
    private final SqlEngine[] engines = new SqlEngine[NODES];
    private final Resolver[] resolvers = new Resolver[NODES];
    private int nextTableId = 1;
    private SqlEngine engine;
    /** Called before and after each step of a commit; an exception from it interrupts the commit there. */
    volatile Consumer<String> steps = step -> {};
    /** Called with the last agent before a node asks it for the outcome of a branch in doubt. */
    volatile Consumer<LastAgent> beforeAsking = lastAgent -> {};

    /** Called before each read from a node. */
    volatile IntConsumer beforeRead = number -> {};

    /** Ids of nodes that were not asked for the placements. */
    volatile Set<String> notAsked = Set.of();

    /** Whether the nodes go on without a lost one, as those of a cluster do. */
    volatile boolean cluster;

    /** Whether the nodes know the question if rows are unchanged. */
    volatile boolean knowsUnchanged = true;

    /** The decisions of the cluster's log. */
    final Decisions decisions = new Decisions(node -> false);

    private long entries;

    private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
    /** By node, held while it is started or ended. */
    private final Object[] turns =
            IntStream.range(0, NODES).mapToObj(number -> new Object()).toArray();

    /** The coordinator is gone: nothing after it is done, not even undone. */
    static final class Gone extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** @param askAfterMillis time that a branch waits for its decision before its store asks */
    DistributedStores(Path directory, int replicas, long askAfterMillis) {
        this(directory, replicas, askAfterMillis, new SteadyClock());
    }

    /** @param clock of the nodes, and of their client */
    DistributedStores(Path directory, int replicas, long askAfterMillis, Clock clock) {
        this.clock = clock;
        this.directory = directory;
        this.replicas = replicas;
        this.askAfterMillis = askAfterMillis;
        for (int i = 0; i < NODES; i++) {
            open(i);
        }
        engine = begun();
    }

    private void open(int number) {
        StorageNode node = StorageNode.open(
                directory.resolve("node" + number), NodeSettings.defaults().withClock(clock));
        SqlSettings sql = SqlSettings.defaults().with(new SqlSettings.Branches(64, askAfterMillis));
        nodes[number] = node;
        ids[number] = node.status().id();
        engines[number] = SqlEngine.on(node, sql);
        resolvers[number] = engines[number].resolver(new Neighbours(), new Log(number));
    }

    /** Runs statements in a session of their own. */
    String run(String sql) {
        try (SqlSession session = engine.open()) {
            return SqlStore.run(session, sql);
        }
    }

    /** The nodes in the order of their ids: of those that a transaction writes, the first is the last agent. */
    List<Integer> byId() {
        return IntStream.range(0, NODES)
                .boxed()
                .sorted(Comparator.comparing(node -> nodes[node].status().id()))
                .toList();
    }

    /** Returns access of the nodes to each other. */
    Peers peers() {
        return new Neighbours();
    }

    /** The nodes' tables as another client uses them, which closes them. */
    DistributedTables tables() {
        return new DistributedTables(new All(), clock);
    }

    private SqlEngine begun() {
        return SqlEngine.onNodes(new All(), SqlSettings.forNodes(), clock);
    }

    SqlEngine engine() {
        return engine;
    }

    TransactionParticipant participant(int number) {
        return engines[number].participant();
    }

    StorageNode node(int number) {
        return nodes[number];
    }

    /** Replaces the coordinator; the old one sends no more decisions. */
    void replaceCoordinator() {
        engine = begun();
    }

    /** Stops a node and starts it again on the same store. */
    void restart(int number) {
        end(number);
        begin(number);
    }

    void end(int number) {
        ended.add(number);
        synchronized (turns[number]) {
            resolvers[number].close();
            engines[number].close();
            nodes[number].close();
        }
    }

    /** Starts a node again; waits until a thread of a commit that is ending it is done. */
    void begin(int number) {
        synchronized (turns[number]) {
            open(number);
        }
        ended.remove(number);
    }

    /** Moves tables off a node on all others that answer, as the log of a cluster does; the first time only. */
    synchronized void leaveOut(String lost) {
        Set<String> up = IntStream.range(0, NODES)
                .filter(number -> !ended.contains(number) && !ids[number].equals(lost))
                .mapToObj(number -> ids[number])
                .collect(Collectors.toSet());
        for (int i = 0; i < NODES; i++) {
            if (up.contains(ids[i])) {
                StorageNode node = nodes[i];
                node.tables().forEach(table -> node.catalog()
                        .move(table.table().id(), table.directory().leavingOut(lost, up), table.published()));
            }
        }
    }

    /** Imports tables without rows. */
    void create(String ddl) throws Exception {
        for (TableDef table : Ddl.parse(ddl, "test")) {
            int id = nextTableId++;
            for (StorageNode node : nodes) {
                try (ImportSession session =
                        node.beginImport(new ImportRequest(table, IngestTiming.AT_END, UUID.randomUUID(), id))) {
                    session.assign(directory(session.table()));
                    session.finalizeIngest();
                    session.publish(session.table().indexes().stream()
                            .map(index -> new IndexChecksum(index.def().name(), KvChecksum.EMPTY))
                            .toList());
                }
            }
        }
    }

    private RangeDirectory directory(Table table) {
        IndexKeys keys = new IndexKeys(table);
        List<byte[]> cuts = new ArrayList<>();
        for (int ordinal = 0; ordinal < table.indexes().size(); ordinal++) {
            cuts.add(keys.span(ordinal).start());
            int column = table.indexes().get(ordinal).def().columns().get(0).column();
            boolean number = table.def().columns().get(column).type().kind() == TypeKind.INT8;
            for (int cut : number ? CUTS : new int[0]) {
                Row row = new Row(table.def().columns().size());
                row.setLong(column, cut);
                cuts.add(keys.prefix(ordinal, row, 1));
            }
        }
        cuts.sort(Arrays::compareUnsigned);
        List<Range> ranges = new ArrayList<>();
        ranges.add(new Range(new byte[0], holders(0)));
        for (byte[] cut : cuts) {
            ranges.add(new Range(cut, holders(ranges.size())));
        }
        return new RangeDirectory(1, ranges);
    }

    private List<String> holders(int first) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            ids.add(nodes[(first + i) % NODES].status().id());
        }
        return ids;
    }

    private void ensureUp(int number) {
        if (ended.contains(number)) {
            throw new NodeUnreachableException(
                    "node" + number, "node " + number + " is closed", new IllegalStateException("closed"));
        }
    }

    /** The cluster as a coordinator sees it. */
    private final class All implements Participants {
        @Override
        public List<Participant> nodes() {
            List<Participant> all = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                all.add(new Watched(i, ids[i]));
            }
            return all;
        }

        @Override
        public List<Placement> placements(Set<String> silent) {
            notAsked = Set.copyOf(silent);
            int up = IntStream.range(0, NODES)
                    .filter(number -> !ended.contains(number))
                    .findFirst()
                    .orElseThrow();
            return nodes[up].tables().stream()
                    .map(each -> new Placement(each.table(), each.directory()))
                    .toList();
        }

        @Override
        public List<TableStatus> tables(Set<String> silent) {
            List<StorageNode> up = IntStream.range(0, NODES)
                    .filter(number -> !ended.contains(number))
                    .mapToObj(number -> nodes[number])
                    .toList();
            return up.get(0).tables().stream()
                    .map(each -> each.merge(
                            up.stream()
                                    .map(node -> Objects.requireNonNull(
                                            node.table(each.table().def().name())))
                                    .toList(),
                            ended.isEmpty()))
                    .toList();
        }

        @Override
        public boolean survivesLosses() {
            return cluster;
        }

        @Override
        public long seen() {
            return decisions.applied();
        }

        @Override
        public Outcome decide(Decision decision) {
            steps.accept("before decision");
            Outcome outcome = apply(List.of(decision), null).get(0);
            steps.accept("after decision");
            return outcome;
        }

        @Override
        public boolean leaveOut(String node) {
            int number = List.of(ids).indexOf(node);
            if (ended.contains(number)) {
                DistributedStores.this.leaveOut(node);
            }
            return true;
        }

        @Override
        public void close() {}
    }

    /** A node that says what is asked of it. */
    private final class Watched implements Participant {
        private final int number;
        private final String id;

        Watched(int number, String id) {
            this.number = number;
            this.id = id;
        }

        private TransactionParticipant now() {
            return engines[number].participant();
        }

        /** A node that was ended does not answer; what another one fails with is its own. */
        private void step(String what, Runnable work) {
            steps.accept("before " + what);
            ensureUp(number);
            try {
                work.run();
            } catch (RuntimeException e) {
                ensureUp(number);
                throw e;
            }
            steps.accept("after " + what);
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public String address() {
            return "node" + number;
        }

        @Override
        public ReadAnswer read(ReadRequest request) {
            beforeRead.accept(number);
            ensureUp(number);
            ReadAnswer answer = now().read(request);
            String log = request.log();
            if (log == null || !cluster) {
                return answer;
            }
            byte[] position = decisions.position(log);
            return answer.at(position == null ? null : LogPosition.of(log, position));
        }

        @Override
        public boolean ensureUnchanged(ReadSet reads) {
            ensureUp(number);
            return now().ensureUnchanged(reads) && knowsUnchanged;
        }

        @Override
        public void hold(Hold hold) {
            ensureUp(number);
            now().hold(hold);
        }

        @Override
        public void release(List<UUID> snapshots) {
            now().release(snapshots);
        }

        @Override
        public void prepare(UUID transaction, @Nullable LastAgent lastAgent, Changes changes) {
            step("prepare", () -> now().prepare(transaction, lastAgent, changes));
        }

        @Override
        public void commit(Changes changes, List<String> others) {
            step("commit", () -> now().commit(changes, others));
        }

        @Override
        public void decide(UUID transaction, boolean commit) {
            step("decide", () -> now().decide(transaction, commit));
        }

        @Override
        public void forget(UUID transaction, List<String> who) {
            step("forget", () -> now().forget(transaction, who));
        }
    }

    private synchronized List<Outcome> apply(List<Decision> all, Decisions.@Nullable Report report) {
        entries++;
        return decisions.apply(entries, new Decisions.Entry(all, report));
    }

    /** The log as a node has it; all apply an entry at once. */
    private final class Log implements DecisionLog {
        private final int number;

        Log(int number) {
            this.number = number;
        }

        @Override
        public long seen() {
            return decisions.applied();
        }

        @Override
        public Outcome applied(UUID transaction) {
            return decisions.outcome(transaction);
        }

        @Override
        public byte @Nullable [] position(String log) {
            return decisions.position(log);
        }

        @Override
        public Map<UUID, Outcome> decide(List<Decision> all) {
            List<Outcome> outcomes = apply(all, null);
            Map<UUID, Outcome> found = new HashMap<>();
            for (int i = 0; i < all.size(); i++) {
                found.put(all.get(i).transaction(), outcomes.get(i));
            }
            return found;
        }

        @Override
        public long unreported() {
            return decisions.unreported(ids[number]);
        }

        @Override
        public void report(long through) {
            List<Outcome> unused = apply(List.of(), new Decisions.Report(ids[number], through));
        }
    }

    /** Client of a node to the others. */
    private final class Neighbours implements Peers {
        private TransactionParticipant of(LastAgent lastAgent) {
            int number = Integer.parseInt(lastAgent.address().substring("node".length()));
            ensureUp(number);
            return engines[number].participant();
        }

        @Override
        public void ensureAskable(LastAgent lastAgent) {}

        @Override
        public Outcome outcome(LastAgent lastAgent, UUID transaction) {
            beforeAsking.accept(lastAgent);
            return of(lastAgent).outcome(transaction);
        }

        @Override
        public void forget(LastAgent lastAgent, UUID transaction, String node) {
            of(lastAgent).forget(transaction, List.of(node));
        }
    }

    @Override
    public void close() {
        engine.close();
        Arrays.stream(resolvers).forEach(Resolver::close);
        Arrays.stream(engines).forEach(SqlEngine::close);
        Arrays.stream(nodes).forEach(StorageNode::close);
    }
}
