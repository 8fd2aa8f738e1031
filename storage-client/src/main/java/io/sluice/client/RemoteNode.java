package io.sluice.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.QueryParamsBuilder;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.BeginBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.DigestBody;
import io.sluice.api.wire.ImportState;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsChange;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TableBody;
import io.sluice.api.wire.TransactionAnswer;
import io.sluice.api.wire.TransactionBody;
import io.sluice.api.wire.Wire;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Interrupts;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A storage node on the network. It connects on the first call. A call without an answer is retried for as long as the
 * settings allow, and then fails with a {@code NodeUnreachableException} that names the node.
 */
public final class RemoteNode implements NodeClient {
    private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};
    private static final TypeReference<List<@Nullable String>> ROW = new TypeReference<>() {};
    private static final TypeReference<List<TableBody>> TABLES = new TypeReference<>() {};
    private static final TypeReference<List<InDoubtBranch>> BRANCHES = new TypeReference<>() {};

    private final RemoteSettings settings;
    private final Link link;
    private final Uploads uploads;

    public RemoteNode(RemoteSettings settings) {
        this.settings = settings;
        link = new Link(settings);
        uploads = new Uploads(link, settings);
    }

    /** The node as a participant of transactions on several nodes; it shares this client's connections. */
    public Participant participant() {
        return new RemoteParticipant(link, settings, null);
    }

    /** The node as a participant; another node that has taken over its address rejects the requests. */
    public RemoteParticipant participant(String id) {
        return new RemoteParticipant(link, settings, id);
    }

    /**
     * The node's replicas of a table.
     *
     * @param id id of the node; another one at its address refuses the requests
     * @param table the table, as another node may learn of it
     * @param owner random id of the copy
     */
    public RemoteReplica replica(String id, TableStatus table, String owner) {
        return new RemoteReplica(link, settings, id, table, owner);
    }

    /** The node's branches in doubt. */
    public List<InDoubtBranch> inDoubt() {
        return get(ApiPaths.TRANSACTIONS).orFail().as(BRANCHES);
    }

    /**
     * Ends a branch in doubt by an operator's decision.
     *
     * @return the outcome at the last agent
     * @throws BadInputException when no such branch is in doubt, or the last agent has another outcome
     */
    public Outcome resolve(UUID transaction, boolean commit) {
        String outcome = send(
                        HttpMethod.POST, ApiPaths.transaction(transaction, "resolve"), TransactionBody.commit(commit))
                .orFail()
                .as(TransactionAnswer.class)
                .outcome();
        return Outcome.of(Wire.required("outcome", outcome));
    }

    /**
     * The node's cluster; null if it is in none.
     *
     * @throws io.sluice.model.error.NodeUnreachableException if it has not joined yet the one that it is to be in
     */
    public @Nullable ClusterBody cluster() {
        Reply reply = get(ApiPaths.CLUSTER);
        if (reply.isJoining()) {
            throw reply.failure();
        }
        return clusterOf(reply);
    }

    /** The cluster that the node has joined; null if there is none. */
    public @Nullable ClusterBody joinedCluster() {
        return clusterOf(get(ApiPaths.CLUSTER));
    }

    private static @Nullable ClusterBody clusterOf(Reply reply) {
        return reply.is(ProblemKind.NOT_FOUND) ? null : reply.orFail().as(ClusterBody.class);
    }

    /** Changes the cluster that this node leads. */
    public ClusterBody change(ClusterChange change) {
        return change(ApiPaths.CLUSTER_CHANGES, change).as(ClusterBody.class);
    }

    /** The jobs of import services in the node's cluster. */
    public JobsBody jobs(boolean leaseOnly) {
        return get(leaseOnly ? ApiPaths.CLUSTER_LEASE : ApiPaths.CLUSTER_JOBS)
                .orFail()
                .as(JobsBody.class);
    }

    /** Changes the jobs of import services, or their lease. */
    public void change(JobsChange change) {
        Reply unused = change(ApiPaths.CLUSTER_JOBS, change);
    }

    /** Posts what may take as long as a step of an import. */
    private Reply change(String path, Object json) {
        return link.ask(
                        HttpMethod.POST,
                        path,
                        Map.of(),
                        Reply.json(json),
                        settings.patience().importMillis())
                .orFail();
    }

    private Reply get(String path) {
        return send(HttpMethod.GET, path, null);
    }

    private Reply send(HttpMethod method, String path, @Nullable Object json) {
        return link.ask(
                method,
                path,
                Map.of(),
                json == null ? null : Reply.json(json),
                settings.patience().readMillis());
    }

    @Override
    public List<TableStatus> tables() {
        return get(ApiPaths.TABLES).orFail().as(TABLES).stream()
                .map(TableBody::toStatus)
                .toList();
    }

    @Override
    public @Nullable TableStatus table(String name) {
        Reply reply = get(ApiPaths.table(name));
        return reply.is(ProblemKind.NOT_FOUND)
                ? null
                : reply.orFail().as(TableBody.class).toStatus();
    }

    @Override
    public NodeStatus status() {
        return get(ApiPaths.NODE).orFail().as(NodeStatus.class);
    }

    /** Begins an import; generates an id if it has none, since the HTTP API requires one. */
    @Override
    public ImportSession beginImport(ImportRequest request) {
        boolean ofCaller = request.importId() != null;
        ImportRequest named = ofCaller ? request : request.withImportId(UUID.randomUUID());
        try {
            return begin(named);
        } catch (OperationFailedException e) {
            if (Interrupts.caused(e)) {
                undo(named, ofCaller, e);
            }
            throw e;
        }
    }

    private RemoteImport begin(ImportRequest request) {
        ImportState state = change(ApiPaths.IMPORTS, BeginBody.of(request)).as(ImportState.class);
        return new RemoteImport(link, uploads, state, settings.patience().importMillis(), request.append());
    }

    /**
     * Undoes an import whose begin was interrupted: the node may have begun it.
     *
     * @param ofCaller whether other processes know its id: an import with work of theirs is kept
     */
    private void undo(ImportRequest begun, boolean ofCaller, OperationFailedException failure) {
        Interrupts.postpone(() -> {
            try {
                // A node that is silent costs the time of a read.
                NodeStatus unused = status();
                RemoteImport session = begin(begun);
                if (ofCaller && !begun.append()) {
                    session.abandon();
                } else {
                    session.close();
                }
            } catch (SluiceException e) {
                failure.addSuppressed(e);
            }
        });
    }

    @Override
    public @Nullable List<@Nullable String> get(String table, List<String> key) {
        QueryParamsBuilder query = QueryParams.builder();
        key.forEach(datum -> query.add("key", datum));
        Reply reply = get(ApiPaths.rows(table) + "?" + query.build().toQueryString());
        if (reply.is(ProblemKind.NOT_FOUND)) {
            if (table(table) == null) {
                throw reply.failure();
            }
            return null;
        }
        return reply.orFail().as(ROW);
    }

    @Override
    public RowCursor scan(ScanRequest request) {
        QueryParamsBuilder query = QueryParams.builder();
        if (request.index() != null) {
            query.add("index", request.index());
        }
        addBound(query, "from", request.from());
        addBound(query, "to", request.to());
        if (request.limit() < Long.MAX_VALUE) {
            query.add("limit", Long.toString(request.limit()));
        }
        KeySpan within = request.within();
        if (within != null) {
            query.add("start", Wire.hex(within.start()));
            query.add("end", Wire.hex(within.end()));
        }
        if (request.content() != Content.ROW) {
            query.add("keysOnly", "true");
        }
        if (request.content() == Content.KEY_AND_ENTRY) {
            query.add("entryKeys", "true");
        }
        String path = ApiPaths.rows(request.table()) + "?" + query.build().toQueryString();
        return RemoteRows.of(link, open(path));
    }

    @Override
    public List<byte[]> splitKeys(String table, int parts) {
        List<String> keys =
                get(ApiPaths.splits(table) + "?parts=" + parts).orFail().as(TEXTS);
        return keys.stream().map(key -> Wire.key("splits", key)).toList();
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        KeySpan rest = span;
        boolean more = true;
        while (more && Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            String path = ApiPaths.kvs(table) + "?start=" + Wire.hex(rest.start()) + "&end=" + Wire.hex(rest.end());
            KvPage page = KvPage.decode(get(path).orFail().body());
            rest = new KeySpan(page.end(), span.end());
            more = pages.test(page);
        }
    }

    private HttpResponse open(String path) {
        return link.open(
                HttpRequest.of(link.headers(HttpMethod.GET, path, Map.of()).build()));
    }

    /**
     * Streams the event log of the node's LSM trees, one JSON object per line. The caller closes the stream. Reading
     * fails when the node stops sending before the end.
     *
     * @throws io.sluice.model.error.NodeUnreachableException when the node does not answer
     */
    public InputStream lsmLog() {
        return RemoteRows.body(link, open(ApiPaths.LSM));
    }

    /** Adds datums one by one, or as a JSON array if NULL is among them. */
    private static void addBound(QueryParamsBuilder query, String name, List<@Nullable String> datums) {
        if (datums.stream().anyMatch(Objects::isNull)) {
            query.add(name + "Json", new String(Reply.json(datums), StandardCharsets.UTF_8));
        } else {
            datums.forEach(datum -> query.add(name, String.valueOf(datum)));
        }
    }

    @Override
    public TableDigest digest(String table) {
        return digestAt(ApiPaths.digest(table));
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        if (spans.isEmpty()) {
            // A query without spans means the whole table.
            return emptyDigest(get(ApiPaths.table(table))
                    .orFail()
                    .as(TableBody.class)
                    .toStatus()
                    .table());
        }
        return digestAt(ApiPaths.digest(table) + spans(spans));
    }

    @Override
    public TuningStatus tuning(String table) {
        return get(ApiPaths.tuning(table)).orFail().as(TuningStatus.class);
    }

    @Override
    public TuningStatus tune(String table, TableTuning tuning) {
        return send(HttpMethod.PUT, ApiPaths.tuning(table), tuning).orFail().as(TuningStatus.class);
    }

    /** The digest of no KVs. */
    static TableDigest emptyDigest(Table table) {
        return new TableDigest(
                table.name(),
                table.indexes().stream()
                        .map(index -> new IndexChecksum(index.def().name(), KvChecksum.EMPTY))
                        .toList());
    }

    private TableDigest digestAt(String path) {
        return link.operate(HttpMethod.GET, path, Map.of(), settings.patience().readMillis())
                .orFail()
                .as(DigestBody.class)
                .toDigest();
    }

    /** Spans, at least one, as a query. */
    static String spans(List<KeySpan> spans) {
        return "?"
                + String.join(
                        "&",
                        spans.stream()
                                .map(span -> "span=" + Wire.hex(span.start()) + "-" + Wire.hex(span.end()))
                                .toList());
    }

    /**
     * Removes a table.
     *
     * @throws BadInputException when the table does not exist, or others are interleaved in it
     */
    @Override
    public void drop(String table) {
        Reply unused = send(HttpMethod.DELETE, ApiPaths.table(table), null).orFail();
    }

    @Override
    public @Nullable String unresponsiveNode() {
        return link.silent();
    }

    @Override
    public void close() {
        link.close();
    }
}
