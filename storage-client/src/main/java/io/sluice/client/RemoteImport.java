package io.sluice.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.linecorp.armeria.common.HttpMethod;
import io.sluice.api.node.AppendSession;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.BatchHeaders;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.DigestBody;
import io.sluice.api.wire.DirectoryBody;
import io.sluice.api.wire.ImportState;
import io.sluice.api.wire.ImportStep;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.PublishBody;
import io.sluice.api.wire.SstHeaders;
import io.sluice.api.wire.Wire;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One attempt at an import on a remote node. */
final class RemoteImport implements ImportSession {
    private static final TypeReference<Map<String, byte[]>> RECORDS = new TypeReference<>() {};
    private static final TypeReference<List<ChecksumBody>> SUMS = new TypeReference<>() {};

    private final Link link;
    private final Uploads uploads;
    private final ImportState state;
    private final long patienceMillis;
    private volatile RangeDirectory directory;
    private final @Nullable RemoteAppend append;
    private boolean over;

    RemoteImport(Link link, Uploads uploads, ImportState state, long patienceMillis, boolean append) {
        this.link = link;
        this.uploads = uploads;
        this.state = state;
        this.patienceMillis = patienceMillis;
        directory = state.directory().toDirectory();
        this.append = append ? new RemoteAppend(link, state, patienceMillis) : null;
    }

    private UUID id() {
        return state.importId();
    }

    private Reply send(HttpMethod method, String path, byte @Nullable [] json) {
        return link.ask(method, path, attempt(), json, patienceMillis);
    }

    private Reply sendLast(HttpMethod method, String path) {
        return link.askLast(method, path, attempt(), patienceMillis);
    }

    private Map<String, String> attempt() {
        return Map.of(ApiHeaders.ATTEMPT, Long.toString(state.attempt()));
    }

    private Reply ask(HttpMethod method, String path, byte @Nullable [] json) {
        return send(method, path, json).orFail();
    }

    private Reply operate(HttpMethod method, String path) {
        return link.operate(method, path, attempt(), patienceMillis).orFail();
    }

    @Override
    public Table table() {
        return state.table();
    }

    @Override
    public boolean resumed() {
        return state.resumed();
    }

    @Override
    public RangeDirectory directory() {
        return directory;
    }

    @Override
    public boolean takesFiles() {
        return false;
    }

    @Override
    public void assign(RangeDirectory next) {
        ask(HttpMethod.PUT, ApiPaths.directory(id()), Reply.json(DirectoryBody.of(next)));
        directory = next;
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        int crc = sst.bytes().crc32c();
        return uploads.sst(describe(sst), sst, SstHeaders.of(sst, id(), state.attempt(), epoch, crc));
    }

    private static int crc(ShuffleBatch batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch.kvs(), 0, batch.lengthBytes());
        return (int) crc.getValue();
    }

    private String describe(SstFile sst) {
        return "SST " + sst.id() + " of " + index(sst.indexId()) + ", keys from " + Wire.hex(sst.smallestKey()) + " to "
                + Wire.hex(sst.largestKey());
    }

    private String index(int id) {
        int ordinal = table().ordinal(id);
        return "table " + table().name() + ", index "
                + (ordinal < 0
                        ? Integer.toString(id)
                        : table().indexes().get(ordinal).def().name());
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        int crc = crc(batch);
        Map<String, String> headers =
                BatchHeaders.of(batch, state.attempt(), epoch, crc).write(id());
        String what = "a batch of " + batch.sum().count() + " KVs of " + index(batch.indexId());
        return uploads.batch(what, ApiPaths.shuffle(id(), batch.part()), headers, batch.kvs(), batch.lengthBytes());
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        ask(HttpMethod.PUT, ApiPaths.checkpoint(id(), key), value);
    }

    @Override
    public Map<String, byte[]> checkpoints() {
        return ask(HttpMethod.GET, ApiPaths.checkpoints(id()), null).as(RECORDS);
    }

    @Override
    public IngestReport finalizeIngest() {
        return operate(HttpMethod.POST, ApiPaths.step(id(), ImportStep.FINALIZE))
                .as(IngestReport.class);
    }

    @Override
    public List<IndexChecksum> present() {
        return ChecksumBody.toSums(
                operate(HttpMethod.GET, ApiPaths.present(id())).as(SUMS));
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        if (spans.isEmpty()) {
            return RemoteNode.emptyDigest(table());
        }
        String path = ApiPaths.step(id(), ImportStep.READBACK) + RemoteNode.spans(spans);
        return operate(HttpMethod.POST, path).as(DigestBody.class).toDigest();
    }

    @Override
    public @Nullable AppendSession append() {
        return append;
    }

    @Override
    public void publish(List<IndexChecksum> imported) {
        if (append != null) {
            // Its undo has no effect if it is published, and ends what may still be on its way if it is not.
            append.publish(imported);
            end();
            return;
        }
        // A publication whose answer is lost may have happened, so the import is not undone from here on.
        over = true;
        ask(
                HttpMethod.POST,
                ApiPaths.step(id(), ImportStep.PUBLISH),
                Reply.json(new PublishBody(ChecksumBody.of(imported))));
    }

    @Override
    public void detach() {
        end();
        Reply unused = sendLast(HttpMethod.POST, ApiPaths.step(id(), ImportStep.DETACH))
                .orFail();
    }

    @Override
    public void close() {
        if (!over) {
            end();
            Reply reply = sendLast(HttpMethod.DELETE, ApiPaths.importOf(id()));
            // A fenced import belongs to the attempt that resumed it.
            if (!reply.is(ProblemKind.FENCED) && !reply.is(ProblemKind.UNKNOWN_IMPORT)) {
                reply.orFail();
            }
        }
    }

    private void end() {
        over = true;
        if (append != null) {
            append.end();
        }
    }
}
