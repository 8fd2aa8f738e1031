package io.sluice.node.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ChangesBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TableBody;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.node.StorageNode;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.ingest.Replicas;
import io.sluice.sql.transaction.ChangeCaptures;
import io.sluice.sql.transaction.Commits;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Serves replicas of key ranges to those that copy and compare them: {@code /v1/replicas/{table id}}. Each request
 * names the node that it is for, since an address may have passed to another node.
 */
final class ReplicaService {
    static final String TABLE_ID = "tableId";
    /** A page has 8 MiB, and one KV more, of at most 4 MiB. */
    static final long MAX_BYTES = 32L << 20;
    /** Limit of a page's KVs. */
    private static final long MAX_PAGE_BYTES = 16L << 20;
    /** Limit of a page of checksums only: about a second of reading. */
    private static final long MAX_SUMMED_BYTES = 256L << 20;

    private final StorageNode node;
    private final @Nullable Membership membership;
    private final Replicas replicas;
    private final Catalog catalog;
    private final Commits commits;

    ReplicaService(StorageNode node, Commits commits, @Nullable Membership membership) {
        this.node = node;
        this.membership = membership;
        this.commits = commits;
        replicas = node.replicas();
        catalog = node.catalog();
    }

    /** Sends a page of KVs, or its checksums only. */
    HttpResponse page(ApiRequest request) {
        boolean sumsOnly = "true".equals(request.query("sumsOnly"));
        long bytes = Wire.number("bytes", Wire.required("bytes", request.query("bytes")));
        KvPage page = replicas.source()
                .page(
                        table(request),
                        span(request),
                        Math.min(Math.max(1, bytes), sumsOnly ? MAX_SUMMED_BYTES : MAX_PAGE_BYTES),
                        sumsOnly);
        return sent(page);
    }

    HttpResponse begin(ApiRequest request) {
        int id = table(request);
        TableStatus status = request.json(TableBody.class).toStatus();
        String name = status.table().name();
        ensureNotDropped(id, name);
        UUID publisher = membership == null ? null : membership.publisher(id);
        if (publisher != null) {
            node.removeUnpublishable(id, publisher);
        }
        replicas.begin(owner(request), status);
        // The drop may have been applied before the table was here again.
        ensureNotDropped(id, name);
        return Answers.noContent();
    }

    /** A late request of a copy must not bring back a table that the cluster has dropped. */
    private void ensureNotDropped(int id, String name) {
        if (membership != null && membership.dropped(id)) {
            String unused = node.dropDecided(id, name);
            throw new ProblemException(ProblemKind.NOT_FOUND, "table " + name + " was dropped meanwhile");
        }
    }

    HttpResponse end(ApiRequest request) {
        replicas.end(table(request), owner(request));
        return Answers.noContent();
    }

    HttpResponse replace(ApiRequest request) {
        KvPage page = KvPage.decode(request.body());
        List<KvChecksum> sums = replicas.replace(table(request), owner(request), number(request), span(request), page);
        return sent(new KvPage(page.end(), sums, List.of(), List.of()));
    }

    HttpResponse apply(ApiRequest request) {
        replicas.apply(table(request), owner(request), number(request), KvPage.decode(request.body()));
        return Answers.noContent();
    }

    /** Estimates the bytes of each range. */
    HttpResponse bytes(ApiRequest request) {
        return Answers.ok(replicas.source().bytes(record(request).table().id()));
    }

    /** Answers keys that cut a span into parts of about equal size. */
    HttpResponse cuts(ApiRequest request) {
        int table = record(request).table().id();
        int parts = Wire.smallNumber("parts", Wire.required("parts", request.query("parts")));
        if (parts < 1 || parts > NodeClient.MOST_PARTS) {
            throw new BadInputException("parts: must be from 1 to " + NodeClient.MOST_PARTS);
        }
        return Answers.ok(replicas.source().cuts(table, span(request), parts).stream()
                .map(Wire::hex)
                .toList());
    }

    /** Begins a capture of changes, or answers those since the last batch. */
    HttpResponse changes(ApiRequest request) {
        TableRecord record = record(request);
        int table = record.table().id();
        ChangesBody.Request body = request.json(ChangesBody.Request.class);
        UUID capture = body.capture();
        if (capture == null) {
            UUID begun = commits.capture(table);
            return Answers.ok(new ChangesBody(begun, 0, false, List.of(), List.of(), state(record)));
        }
        // In this order: what the state says has happened is in the batch, or in the next one.
        ChangesBody.State state = state(record);
        ChangeCaptures.Batch batch = commits.changes(table, capture, body.done());
        KvPage present = replicas.source().values(table, batch.keys());
        return Answers.ok(
                new ChangesBody(capture, batch.number(), batch.more(), present.keys(), present.values(), state));
    }

    /** Says whether rows of the table may change, and which tables are in it. */
    HttpResponse state(ApiRequest request) {
        return Answers.ok(state(record(request)));
    }

    private TableRecord record(ApiRequest request) {
        int table = table(request);
        TableRecord record = catalog.table(table);
        if (record == null) {
            throw new ProblemException(ProblemKind.NOT_FOUND, "there is no table with id " + table);
        }
        return record;
    }

    private ChangesBody.State state(TableRecord record) {
        int table = record.table().id();
        return new ChangesBody.State(
                catalog.frozenBy(table),
                catalog.guard().prepared(table),
                catalog.imports().anyAppendTo(table),
                record.directory().epoch(),
                catalog.inside(table));
    }

    private static HttpResponse sent(KvPage page) {
        return HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, HttpData.wrap(page.encoded()));
    }

    private int table(ApiRequest request) {
        String addressee = header(request, ApiHeaders.NODE);
        if (!addressee.equals(catalog.nodeId())) {
            throw new ProblemException(
                    ProblemKind.WRONG_NODE,
                    "the request is for node " + addressee + ", and this is node " + catalog.nodeId()
                            + ": check the address");
        }
        return Wire.smallNumber("table id", request.path(TABLE_ID));
    }

    private static KeySpan span(ApiRequest request) {
        return new KeySpan(
                Wire.key("start", Wire.required("start", request.query("start"))),
                Wire.key("end", Wire.required("end", request.query("end"))));
    }

    private static String owner(ApiRequest request) {
        return header(request, ApiHeaders.COPY);
    }

    private static long number(ApiRequest request) {
        return Wire.number(ApiHeaders.NUMBER, header(request, ApiHeaders.NUMBER));
    }

    private static String header(ApiRequest request, String name) {
        return Wire.required("header " + name, request.headers().get(name));
    }
}
