package io.sluice.client;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import io.sluice.api.node.AppendPart;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.AppendBody;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ImportState;
import io.sluice.api.wire.ImportStep;
import io.sluice.api.wire.PublishBody;
import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an append on a remote node. Until its end, a thread tells the node every three seconds that the client
 * is there: a node undoes the append of a silent client, since no statement can change the table meanwhile.
 */
final class RemoteAppend implements AppendPart {
    private static final long RENEW_MILLIS = 3_000;
    /** Time until a node has applied the freeze of the table; the leader ends it after 30 s. */
    private static final long PREPARE_MILLIS = 15_000;
    /** Time for the answer. */
    private static final long ANSWER_MILLIS = 10_000;

    private final Link link;
    private final ImportState state;
    private final long patienceMillis;
    private final ScheduledExecutorService renewal;
    private final AtomicLong lists = new AtomicLong();
    private volatile boolean prepared;

    RemoteAppend(Link link, ImportState state, long patienceMillis) {
        this.link = link;
        this.state = state;
        this.patienceMillis = patienceMillis;
        renewal = Executors.newSingleThreadScheduledExecutor(Daemons.named("sluice-append-renewal"));
        var unused = renewal.scheduleWithFixedDelay(this::renew, RENEW_MILLIS, RENEW_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void renew() {
        try {
            Reply unused = link.send(
                    HttpRequest.of(link.headers(HttpMethod.POST, path(ImportStep.RENEW), attempt())
                            .build()),
                    ANSWER_MILLIS);
        } catch (RuntimeException e) {
            // The next step of the append learns what is wrong.
        }
    }

    /** Ends the renewal. */
    void end() {
        renewal.shutdownNow();
    }

    private String path(ImportStep step) {
        return ApiPaths.step(state.importId(), step);
    }

    private Map<String, String> attempt() {
        return Map.of(ApiHeaders.ATTEMPT, Long.toString(state.attempt()));
    }

    private Reply ask(ImportStep step, Object body) {
        return link.ask(HttpMethod.POST, path(step), attempt(), Reply.json(body), patienceMillis)
                .orFail();
    }

    @Override
    public OverlapReport checkOverlap(long skip, int mostCollisions) {
        List<OverlapReport.IndexKey> collisions = new ArrayList<>();
        while (true) {
            int wanted = mostCollisions - collisions.size();
            String query = "?skip=" + (skip + collisions.size()) + "&most=" + wanted;
            OverlapReport part = link.operate(
                            HttpMethod.POST, path(ImportStep.OVERLAP) + query, attempt(), patienceMillis)
                    .orFail()
                    .as(AppendBody.Overlap.class)
                    .toReport();
            collisions.addAll(part.collisions());
            boolean all = skip + collisions.size() >= part.collided() || collisions.size() >= mostCollisions;
            if (all || part.collisions().isEmpty()) {
                return new OverlapReport(part.after(), part.repeated(), collisions, part.collided());
            }
        }
    }

    @Override
    public List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        List<OverlapReport.@Nullable Holder> holders = new ArrayList<>();
        while (holders.size() < keys.size()) {
            int end = end(keys, holders.size(), key -> key.key().length);
            List<OverlapReport.@Nullable Holder> rows = ask(
                            ImportStep.HOLDERS, new AppendBody.Keys(keys.subList(holders.size(), end)))
                    .as(AppendBody.Holders.class)
                    .rows();
            if (rows.isEmpty()) {
                throw new IllegalStateException("node " + link.node() + " returned no row for a key");
            }
            holders.addAll(rows);
        }
        return holders;
    }

    @Override
    public void replace(List<byte[]> primaryKeys) {
        replaceRows(lists.incrementAndGet(), true, AppendPart.rowsOf(primaryKeys));
    }

    @Override
    public void replaceRows(long list, boolean first, List<OverlapReport.Holder> rows) {
        int begin = 0;
        do {
            int end = end(rows, begin, row -> row.key().length + row.value().length);
            AppendBody.Replaced body = new AppendBody.Replaced(first && begin == 0, rows.subList(begin, end));
            Map<String, String> headers = new HashMap<>(attempt());
            headers.put(ApiHeaders.LIST, Long.toString(list));
            Reply unused = link.ask(
                            HttpMethod.POST, path(ImportStep.REPLACE), headers, Reply.json(body), patienceMillis)
                    .orFail();
            begin = end;
        } while (begin < rows.size());
    }

    @Override
    public void prepare(String owner, List<IndexChecksum> after) {
        byte[] body = Reply.json(new AppendBody.Prepare(owner, ChecksumBody.of(after)));
        Reply unused = link.ask(HttpMethod.POST, path(ImportStep.PREPARE), attempt(), body, PREPARE_MILLIS)
                .orFail();
        prepared = true;
    }

    /** The end of the keys from {@code begin} on that fit one body. */
    private static <T> int end(List<T> keys, int begin, ToIntFunction<T> bytes) {
        int end = begin;
        long sum = 0;
        while (end < keys.size() && end - begin < AppendBody.MOST_KEYS && sum < AppendBody.PAGE_BYTES / 2) {
            sum += bytes.applyAsInt(keys.get(end));
            end++;
        }
        return end;
    }

    /**
     * Publishes the rows. May be repeated: the node knows the import for a day. Prepared rows are published by the log
     * of the cluster, also without this request, so it does not wait long for the node.
     */
    void publish(List<IndexChecksum> after) {
        Reply unused = link.operate(
                        HttpMethod.POST,
                        path(ImportStep.PUBLISH),
                        attempt(),
                        Reply.json(new PublishBody(ChecksumBody.of(after))),
                        prepared ? Math.min(PREPARE_MILLIS, patienceMillis) : patienceMillis)
                .orFail();
    }
}
