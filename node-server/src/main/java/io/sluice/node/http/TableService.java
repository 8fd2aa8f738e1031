package io.sluice.node.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.wire.DigestBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TableBody;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Bodies;
import io.sluice.http.LineStream;
import io.sluice.http.LineStream.Lines;
import io.sluice.http.ProblemException;
import io.sluice.http.RequestLimits;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.DdlText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Serves tables, their rows, tunings and digests. */
final class TableService {
    private static final MediaType LINES = MediaType.parse("application/x-ndjson");

    /** Computes the digest of a table's KVs in some spans; no spans: of all. */
    interface Digests {
        DigestBody of(String table, List<KeySpan> spans);
    }

    /** Checks that the server has the KVs of a table in some spans; throws otherwise. Called after they were read. */
    interface Holding {
        void ensure(String table, List<KeySpan> spans);
    }

    private final NodeClient node;
    private final Digests digests;
    private final Holding holding;
    private final Operations operations;
    private final Executor pool;
    private final long stallMillis;
    private final RequestLimits scans;

    /**
     * @param node has the tables
     * @param pool starts and continues streams
     * @param scans limits concurrent streams
     */
    TableService(
            NodeClient node,
            Digests digests,
            Holding holding,
            Operations operations,
            Executor pool,
            long stallMillis,
            RequestLimits scans) {
        this.node = node;
        this.digests = digests;
        this.holding = holding;
        this.operations = operations;
        this.pool = pool;
        this.stallMillis = stallMillis;
        this.scans = scans;
    }

    HttpResponse all(ApiRequest request) {
        return Answers.ok(node.tables().stream().map(TableBody::of).toList());
    }

    HttpResponse one(ApiRequest request) {
        TableStatus table = require(RequestNames.table(request));
        ObjectNode body = Bodies.JSON.valueToTree(TableBody.of(table));
        body.put(
                "bytes",
                table.imported().stream()
                        .mapToLong(index -> index.sum().bytes())
                        .sum());
        return Answers.ok(body.put("ddl", DdlText.of(table.table().def())));
    }

    HttpResponse drop(ApiRequest request) {
        String name = require(RequestNames.table(request)).table().name();
        try {
            node.drop(name);
        } catch (BadInputException e) {
            if (node.table(name) == null) {
                throw notFound(name);
            }
            // The table exists, so other tables depend on it.
            throw new ProblemException(ProblemKind.CONFLICT, String.valueOf(e.getMessage()));
        }
        return Answers.noContent();
    }

    HttpResponse tuning(ApiRequest request) {
        return Answers.ok(
                node.tuning(require(RequestNames.table(request)).table().name()));
    }

    HttpResponse tune(ApiRequest request) {
        String table = require(RequestNames.table(request)).table().name();
        return Answers.ok(node.tune(table, request.json(TableTuning.class)));
    }

    /** Returns one row by its primary key, or a scan in the order of an index. */
    HttpResponse rows(ApiRequest request) {
        TableStatus table = require(RequestNames.table(request));
        List<String> key = request.queries("key");
        return key.isEmpty() ? scan(request, table.table().name()) : get(table, key);
    }

    private HttpResponse get(TableStatus status, List<String> key) {
        String table = status.table().name();
        List<@Nullable String> row = node.get(table, key);
        if (!status.directory().ranges().isEmpty()) {
            byte[] start = new IndexKeys(status.table()).primaryKey(KeyTexts.primaryKey(status.table(), key));
            holding.ensure(table, List.of(new KeySpan(start, Arrays.copyOf(start, start.length + 1))));
        }
        if (row == null) {
            throw new ProblemException(ProblemKind.NOT_FOUND, "table " + table + " has no row with this key");
        }
        return Answers.ok(row);
    }

    private HttpResponse scan(ApiRequest request, String table) {
        ScanRequest scan = new ScanRequest(
                table,
                request.query("index"),
                bound(request, "from"),
                bound(request, "to"),
                limit(request.query("limit")),
                span(request),
                content(request));
        return streamed(request.ctx(), LINES, () -> {
            RowCursor rows = node.scan(scan);
            KeySpan within = scan.within();
            try {
                holding.ensure(table, within == null ? List.of() : List.of(within));
            } catch (RuntimeException e) {
                rows.close();
                throw e;
            }
            return new RowLines(rows);
        });
    }

    private static Content content(ApiRequest request) {
        if (!Boolean.parseBoolean(request.query("keysOnly"))) {
            return Content.ROW;
        }
        return Boolean.parseBoolean(request.query("entryKeys")) ? Content.KEY_AND_ENTRY : Content.KEY;
    }

    /** Streams lines, unless the limit of concurrent streams is reached. */
    HttpResponse streamed(ServiceRequestContext ctx, MediaType type, Supplier<Lines> opened) {
        RequestLimits.Place place = scans.take(ctx);
        Lines lines;
        try {
            lines = opened.get();
        } catch (RuntimeException | Error e) {
            place.close();
            throw e;
        }
        return LineStream.of(ctx, type, lines, pool, stallMillis, place);
    }

    /** Returns keys that cut the table into parts of about equal size. */
    HttpResponse splits(ApiRequest request) {
        String table = require(RequestNames.table(request)).table().name();
        int parts = Wire.smallNumber("parts", Wire.required("parts", request.query("parts")));
        if (parts < 1 || parts > NodeClient.MOST_PARTS) {
            throw new BadInputException("parts: must be from 1 to " + NodeClient.MOST_PARTS);
        }
        return Answers.ok(node.splitKeys(table, parts).stream().map(Wire::hex).toList());
    }

    /** Sends the first page of the KVs in a span. */
    HttpResponse kvs(ApiRequest request) {
        String table = require(RequestNames.table(request)).table().name();
        KeySpan span = span(request);
        if (span == null || Arrays.compareUnsigned(span.start(), span.end()) >= 0) {
            throw new BadInputException("start and end: give a span of keys");
        }
        KvPage[] first = {new KvPage(span.end(), List.of(), List.of(), List.of())};
        node.readKvs(table, span, page -> {
            first[0] = page;
            return false;
        });
        holding.ensure(table, List.of(new KeySpan(span.start(), first[0].end())));
        return HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, HttpData.wrap(first[0].encoded()));
    }

    HttpResponse digest(ApiRequest request) {
        String table = require(RequestNames.table(request)).table().name();
        List<KeySpan> spans = RequestNames.spans(request);
        return operations.answer(request, () -> {
            DigestBody digest = digests.of(table, spans);
            holding.ensure(table, spans);
            return digest;
        });
    }

    private TableStatus require(String name) {
        TableStatus table = node.table(name);
        if (table == null) {
            throw notFound(name);
        }
        return table;
    }

    private static ProblemException notFound(String table) {
        return new ProblemException(ProblemKind.NOT_FOUND, "there is no table " + table);
    }

    /** Parses a bound: repeated parameters, or a JSON array that may contain NULL. */
    private static List<@Nullable String> bound(ApiRequest request, String name) {
        String array = request.query(name + "Json");
        return array == null
                ? List.<@Nullable String>copyOf(request.queries(name))
                : Bodies.texts(name + "Json", array);
    }

    private static long limit(@Nullable String text) {
        return text == null ? Long.MAX_VALUE : Wire.number("limit", text);
    }

    private static @Nullable KeySpan span(ApiRequest request) {
        String start = request.query("start");
        String end = request.query("end");
        if (start == null && end == null) {
            return null;
        }
        return new KeySpan(
                Wire.key("start", Wire.required("start", start)), Wire.key("end", Wire.required("end", end)));
    }

    /** Streams rows as JSON arrays, one per line. */
    private static final class RowLines implements Lines {
        private final RowCursor rows;

        RowLines(RowCursor rows) {
            this.rows = rows;
        }

        @Override
        public boolean more(ByteArrayOutputStream into) throws IOException {
            List<@Nullable String> row = rows.next();
            if (row == null) {
                return false;
            }
            into.write(Bodies.JSON.writeValueAsBytes(row));
            into.write('\n');
            return true;
        }

        @Override
        public void close() {
            rows.close();
        }
    }
}
