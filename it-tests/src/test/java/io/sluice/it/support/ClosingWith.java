package io.sluice.it.support;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client that closes its nodes when it is closed: all at once, since each takes its server two seconds. */
public record ClosingWith(NodeClient client, List<ServedNode> nodes) implements NodeClient {
    @Override
    public List<TableStatus> tables() {
        return client.tables();
    }

    @Override
    public @Nullable TableStatus table(String name) {
        return client.table(name);
    }

    @Override
    public NodeStatus status() {
        return client.status();
    }

    @Override
    public ImportSession beginImport(ImportRequest request) {
        return client.beginImport(request);
    }

    @Override
    public @Nullable List<@Nullable String> get(String table, List<String> key) {
        return client.get(table, key);
    }

    @Override
    public RowCursor scan(ScanRequest request) {
        return client.scan(request);
    }

    @Override
    public List<byte[]> splitKeys(String table, int parts) {
        return client.splitKeys(table, parts);
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        client.readKvs(table, span, pages);
    }

    @Override
    public TableDigest digest(String table) {
        return client.digest(table);
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        return client.digest(table, spans);
    }

    @Override
    public TuningStatus tuning(String table) {
        return client.tuning(table);
    }

    @Override
    public TuningStatus tune(String table, TableTuning tuning) {
        return client.tune(table, tuning);
    }

    @Override
    public void drop(String table) {
        client.drop(table);
    }

    @Override
    public void close() {
        client.close();
        nodes.parallelStream().forEach(ServedNode::close);
    }
}
