package io.sluice.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.linecorp.armeria.common.HttpMethod;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ChangesBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.TableBody;
import io.sluice.api.wire.Wire;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A remote node's replicas of one table, to copy them from there or to there. It shares the connections of a
 * {@link RemoteNode}. For one thread at a time.
 */
public final class RemoteReplica {
    private final Link link;
    private final RemoteSettings settings;
    private final String node;
    private final TableStatus table;
    private final String owner;
    private long number;

    RemoteReplica(Link link, RemoteSettings settings, String node, TableStatus table, String owner) {
        this.link = link;
        this.settings = settings;
        this.node = node;
        this.table = table;
        this.owner = owner;
    }

    /**
     * Reads the first KVs of the table in a span.
     *
     * @param maxBytes bytes of keys and values after which the page ends
     * @param sumsOnly whether to leave the KVs out
     */
    public KvPage page(KeySpan span, long maxBytes, boolean sumsOnly) {
        return KvPage.decode(ask(HttpMethod.GET, span(span) + "&bytes=" + maxBytes + "&sumsOnly=" + sumsOnly, null)
                .body());
    }

    /** Estimates the bytes of each range of the table on the node, in the order of its directory. */
    public List<Long> bytes() {
        return ask(HttpMethod.GET, "/bytes", null).as(new TypeReference<List<Long>>() {});
    }

    /**
     * Finds keys that cut a span of the table into parts of about equal size, ascending.
     *
     * @param parts wanted number of parts; a span with few KVs has fewer
     */
    public List<byte[]> cuts(KeySpan span, int parts) {
        return ask(HttpMethod.GET, "/cuts" + span(span) + "&parts=" + parts, null)
                .as(new TypeReference<List<String>>() {})
                .stream()
                .map(key -> Wire.key("key", key))
                .toList();
    }

    /** Begins to capture changes of the table; {@link #changes} returns them. */
    public ChangesBody capture() {
        return changes(null, 0);
    }

    /**
     * Returns rows that were changed since the last batch, or since {@link #capture}.
     *
     * @param done number of the last batch, which is copied; 0: none
     */
    public ChangesBody changes(@Nullable UUID capture, long done) {
        return ask(HttpMethod.POST, "/changes", Reply.json(new ChangesBody.Request(capture, done)))
                .as(ChangesBody.class);
    }

    /** Whether rows of the table may change on the node, and which tables are in it; null if it is not there. */
    public ChangesBody.@Nullable State state() {
        Reply reply = request(HttpMethod.GET, "/state", null, Map.of());
        return reply.is(ProblemKind.NOT_FOUND) ? null : reply.orFail().as(ChangesBody.State.class);
    }

    /** Lets this copy write, and fences earlier ones. */
    public void begin() {
        Reply unused = ask(HttpMethod.PUT, "", Reply.json(TableBody.of(table)));
    }

    /** Replaces the KVs of a span; returns the checksums of what is there then. */
    public List<KvChecksum> replace(KeySpan span, KvPage page) {
        number++;
        return KvPage.decode(send("/replace" + span(span), page).body()).sums();
    }

    /** Sets or deletes keys, durably. */
    public void apply(KvPage changes) {
        number++;
        Reply unused = send("/apply", changes);
    }

    /** Ends the copy: its requests that are still on their way change nothing. Fails if a later one has fenced it. */
    public void end() {
        Reply unused = ask(HttpMethod.DELETE, "", null);
    }

    private static String span(KeySpan span) {
        return "?start=" + Wire.hex(span.start()) + "&end=" + Wire.hex(span.end());
    }

    private Reply ask(HttpMethod method, String rest, byte @Nullable [] json) {
        return ask(method, rest, json, Map.of());
    }

    private Reply send(String rest, KvPage page) {
        return ask(HttpMethod.POST, rest, page.encoded(), Map.of("content-type", "application/octet-stream"));
    }

    private Reply ask(HttpMethod method, String rest, byte @Nullable [] body, Map<String, String> more) {
        return request(method, rest, body, more).orFail();
    }

    private Reply request(HttpMethod method, String rest, byte @Nullable [] body, Map<String, String> more) {
        Map<String, String> headers = new HashMap<>(more);
        headers.put(ApiHeaders.NODE, node);
        headers.put(ApiHeaders.COPY, owner);
        headers.put(ApiHeaders.NUMBER, Long.toString(number));
        return link.ask(
                method,
                ApiPaths.replicas(table.table().id()) + rest,
                headers,
                body,
                settings.patience().importMillis());
    }
}
