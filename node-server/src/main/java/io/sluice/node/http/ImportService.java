package io.sluice.node.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.node.AppendPart;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.AppendBody;
import io.sluice.api.wire.BeginBody;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.DigestBody;
import io.sluice.api.wire.DirectoryBody;
import io.sluice.api.wire.ImportState;
import io.sluice.api.wire.IngestBody;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.PublishBody;
import io.sluice.api.wire.SstState;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.ingest.NodeSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles requests on imports: begin, assign ranges, checkpoint, finalize, publish, undo. */
final class ImportService {
    private static final Logger LOG = LoggerFactory.getLogger(ImportService.class);

    /** Time for a client to repeat a begin whose answer it has not received. */
    private static final long UNHEARD_MILLIS = 5_000;

    private final Sessions sessions;
    private final Operations operations;
    private final ClusterService cluster;

    ImportService(Sessions sessions, Operations operations, ClusterService cluster) {
        this.sessions = sessions;
        this.operations = operations;
        this.cluster = cluster;
    }

    HttpResponse begin(ApiRequest request) {
        BeginBody body = request.json(BeginBody.class);
        body.check();
        UUID importId = Wire.required("importId", body.importId());
        IngestTiming timing = Objects.requireNonNullElse(body.timing(), IngestTiming.AT_END);
        ImportRequest begun = new ImportRequest(tableOf(body), timing, importId, body.tableId(), body.adds());
        if (!sessions.has(importId)) {
            cluster.ensureOfCluster(begun);
        }
        NodeSession session = sessions.begin(begun);
        if (!session.resumed()) {
            undoIfUnheard(request.ctx(), session);
        }
        return Answers.json(session.resumed() ? HttpStatus.OK : HttpStatus.CREATED, state(importId, session));
    }

    /**
     * Undoes a new import some time after its answer could not be sent. The client may be gone, and the node may have
     * come to the request after the undo of that client, which found nothing. A client that is there repeats the
     * request: the later attempt fences this one.
     */
    private static void undoIfUnheard(ServiceRequestContext ctx, NodeSession session) {
        var unused = ctx.log().whenComplete().thenAccept(log -> {
            if (log.responseCause() != null) {
                var unusedTask = ctx.eventLoop()
                        .schedule(
                                () -> ctx.blockingTaskExecutor().execute(() -> undo(session)),
                                UNHEARD_MILLIS,
                                TimeUnit.MILLISECONDS);
            }
        });
    }

    private static void undo(NodeSession session) {
        try {
            if (!session.superseded() && session.checkpoints().isEmpty()) {
                session.close();
            }
        } catch (SluiceException e) {
            LOG.info("import {}, whose begin had no answer, is not undone: {}", session.importId(), e.getMessage());
        }
    }

    private static TableDef tableOf(BeginBody body) {
        TableDef table = body.table();
        return table != null ? table : Ddl.select(Ddl.parse(Wire.required("ddl", body.ddl()), "ddl"), null, "ddl");
    }

    HttpResponse state(ApiRequest request) {
        UUID id = RequestNames.importId(request);
        return Answers.ok(state(id, sessions.latest(id)));
    }

    private static ImportState state(UUID importId, NodeSession session) {
        return new ImportState(
                importId,
                session.attempt(),
                session.resumed(),
                session.timing(),
                session.table(),
                DirectoryBody.of(session.directory()));
    }

    HttpResponse assign(ApiRequest request) {
        NodeSession session = sessions.of(request);
        DirectoryBody directory = request.json(DirectoryBody.class);
        var wanted = directory.toDirectory();
        try {
            sessions.run(session, () -> session.assign(wanted));
        } catch (OperationFailedException e) {
            // The sender must adopt the node's directory.
            throw new ProblemException(Problem.of(ProblemKind.MOVED, String.valueOf(e.getMessage()))
                    .withDirectory(DirectoryBody.of(session.directory())));
        }
        return Answers.noContent();
    }

    HttpResponse putCheckpoint(ApiRequest request) {
        NodeSession session = sessions.of(request);
        sessions.run(session, () -> session.putCheckpoint(request.path(Routes.CHECKPOINT), request.body()));
        return Answers.noContent();
    }

    HttpResponse checkpoints(ApiRequest request) {
        Map<String, byte[]> checkpoints =
                sessions.latest(RequestNames.importId(request)).checkpoints();
        return Answers.ok(checkpoints);
    }

    /** Returns the state of each SST of the request. */
    HttpResponse ingest(ApiRequest request) {
        IngestBody body = request.json(IngestBody.class);
        List<UUID> ids = Wire.required("ssts", body.ssts());
        if (ids.size() > IngestBody.MAX_SSTS) {
            throw new BadInputException("ssts: at most " + IngestBody.MAX_SSTS + " at a time");
        }
        NodeSession session = sessions.latest(Wire.required("importId", body.importId()));
        return Answers.ok(ids.stream()
                .map(id -> new SstState(
                        Wire.required("ssts", id),
                        SstState.State.valueOf(session.progress(id).name())))
                .toList());
    }

    HttpResponse finalizeIngest(ApiRequest request) {
        NodeSession session = sessions.of(request);
        return operation(request, session, session::finalizeIngest);
    }

    HttpResponse present(ApiRequest request) {
        NodeSession session = sessions.latest(RequestNames.importId(request));
        return operation(request, session, () -> ChecksumBody.of(session.present()));
    }

    HttpResponse readBack(ApiRequest request) {
        NodeSession session = sessions.of(request);
        List<KeySpan> spans = RequestNames.spans(request);
        return operation(
                request, session, () -> DigestBody.of(spans.isEmpty() ? session.readBack() : session.readBack(spans)));
    }

    private HttpResponse operation(ApiRequest request, NodeSession session, Supplier<?> work) {
        return operations.answer(request, () -> sessions.call(session, work::get));
    }

    HttpResponse publish(ApiRequest request) {
        NodeSession session = sessions.of(request);
        List<IndexChecksum> imported = ChecksumBody.toSums(
                Wire.required("imported", request.json(PublishBody.class).imported()));
        if (request.headers().contains(ApiHeaders.OPERATION)) {
            // An append compares its KVs with the table's once more.
            return operation(request, session, () -> {
                session.publish(imported);
                return new PublishBody(ChecksumBody.of(imported));
            });
        }
        sessions.run(session, () -> session.publish(imported));
        return Answers.noContent();
    }

    HttpResponse overlap(ApiRequest request) {
        NodeSession session = sessions.of(request);
        AppendPart append = append(session);
        long skip = Wire.number("skip", RequestNames.only(request, "skip"));
        int most = Math.min(AppendBody.MOST_COLLISIONS, Wire.smallNumber("most", RequestNames.only(request, "most")));
        return operation(request, session, () -> AppendBody.Overlap.of(append.checkOverlap(skip, most)));
    }

    /** Returns the rows that hold keys: the first ones, up to a limit of bytes. */
    HttpResponse holders(ApiRequest request) {
        NodeSession session = sessions.of(request);
        AppendPart append = append(session);
        List<OverlapReport.IndexKey> keys =
                Wire.required("keys", request.json(AppendBody.Keys.class).keys());
        if (keys.size() > AppendBody.MOST_KEYS) {
            throw new BadInputException("keys: at most " + AppendBody.MOST_KEYS + " at a time");
        }
        keys.forEach(key -> checkKey(session, key));
        return sessions.call(session, () -> {
            List<OverlapReport.@Nullable Holder> rows = new ArrayList<>();
            long bytes = 0;
            for (OverlapReport.IndexKey key : keys) {
                if (bytes > AppendBody.PAGE_BYTES) {
                    break;
                }
                OverlapReport.Holder holder = append.holders(List.of(key)).get(0);
                rows.add(holder);
                bytes += holder == null ? 0 : holder.key().length + holder.value().length;
            }
            return Answers.ok(new AppendBody.Holders(rows));
        });
    }

    private static void checkKey(NodeSession session, OverlapReport.IndexKey key) {
        int indexes = session.table().indexes().size();
        if (key.key() == null || key.ordinal() < 0 || key.ordinal() >= indexes) {
            throw new BadInputException("keys: each has a key and an ordinal from 0 to " + (indexes - 1));
        }
    }

    HttpResponse replace(ApiRequest request) {
        NodeSession session = sessions.of(request);
        AppendPart append = append(session);
        AppendBody.Replaced body = request.json(AppendBody.Replaced.class);
        List<OverlapReport.Holder> rows = Wire.required("rows", body.rows());
        for (OverlapReport.Holder row : rows) {
            if (row == null || row.key() == null || row.value() == null) {
                throw new BadInputException("rows: each has a key and a value");
            }
        }
        String list = request.headers().get(ApiHeaders.LIST);
        long number = list == null ? AppendPart.UNNUMBERED : Wire.number(ApiHeaders.LIST, list);
        sessions.run(session, () -> append.replaceRows(number, body.first(), rows));
        return Answers.noContent();
    }

    HttpResponse prepare(ApiRequest request) {
        NodeSession session = sessions.of(request);
        AppendPart append = append(session);
        AppendBody.Prepare body = request.json(AppendBody.Prepare.class);
        String owner = Wire.required("owner", body.owner());
        List<IndexChecksum> after = ChecksumBody.toSums(Wire.required("after", body.after()));
        sessions.run(session, () -> append.prepare(owner, after));
        return Answers.noContent();
    }

    HttpResponse renew(ApiRequest request) {
        NodeSession session = sessions.of(request);
        sessions.run(session, session::renew);
        return Answers.noContent();
    }

    private static AppendPart append(NodeSession session) {
        AppendPart append = session.append();
        if (append == null) {
            throw new ProblemException(
                    ProblemKind.CONFLICT, "the import is no append, or it is published already; this step needs one");
        }
        return append;
    }

    HttpResponse detach(ApiRequest request) {
        NodeSession session = sessions.of(request);
        sessions.run(session, session::detach);
        return Answers.noContent();
    }

    /** Undoes an import that is not published; succeeds if it is undone already. */
    HttpResponse undo(ApiRequest request) {
        NodeSession session = sessions.find(RequestNames.importId(request), RequestNames.attempt(request));
        if (session != null) {
            sessions.run(session, session::close);
        }
        return Answers.noContent();
    }
}
