package io.sluice.api.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and headers round-trip over the wire. */
class WireTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final UUID ID = UUID.fromString("6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a01");
    private static final TableDef DEF = Ddl.select(
            Ddl.parse(
                    "CREATE TABLE t (a INT8, b DECIMAL(10,2), c STRING, d DATE, PRIMARY KEY (a, b DESC), INDEX i (c) STORING (d))",
                    "test"),
            null,
            "test");
    private static final RangeDirectory DIRECTORY = new RangeDirectory(
            3,
            List.of(
                    new RangeDirectory.Range(new byte[0], List.of("n1")),
                    new RangeDirectory.Range(new byte[] {(byte) 0x80, 1}, List.of("n2", "n1"))));
    /** A checksum with the sign bit set, which JavaScript numbers cannot hold. */
    private static final IndexChecksum SUM = new IndexChecksum("i", new KvChecksum(2, 30, 0x8000_0000_0000_0001L));

    private static <T> T through(T body, Class<T> type) throws Exception {
        return JSON.readValue(JSON.writeValueAsBytes(body), type);
    }

    @Test
    void bodiesRoundTrip() throws Exception {
        BeginBody begin = BeginBody.of(new ImportRequest(DEF, IngestTiming.ON_ARRIVAL, ID, 7));
        assertEquals(begin, through(begin, BeginBody.class));
        Table table = Table.bind(DEF, 7, name -> null);
        Instant published = Instant.parse("2026-01-02T03:04:05.678Z");
        TableStatus status = new TableStatus(table, List.of(SUM), published, DIRECTORY, List.of(SUM));
        assertEquals(status, through(TableBody.of(status), TableBody.class).toStatus());
        ImportState state =
                new ImportState(ID, 2, true, IngestTiming.SHUFFLED, status.table(), DirectoryBody.of(DIRECTORY));
        assertEquals(state, through(state, ImportState.class));
        assertEquals(DIRECTORY, state.directory().toDirectory());
        PublishBody publish = new PublishBody(ChecksumBody.of(List.of(SUM)));
        assertEquals(publish, through(publish, PublishBody.class));
        assertEquals(SUM, ChecksumBody.of(SUM).toSum());
        NodeStatus node = new NodeStatus("n1", "1", 2, new NodeStatus.Load(3, 4, 5, 6, 7, "disk"));
        assertEquals(node, through(node, NodeStatus.class));
        IngestReport report = new IngestReport(1, 2, 3, 4, 5, 6, 0.5);
        assertEquals(report, through(report, IngestReport.class));
        SstState sst = new SstState(ID, SstState.State.INGESTED);
        assertEquals(sst, through(sst, SstState.class));
    }

    @Test
    void headersRoundTrip() {
        byte[] largest = {(byte) 0xff};
        SstFile sst = new SstFile(ID, Path.of("x"), 2, new byte[] {0, 1}, largest, 99, SUM.sum());
        Map<String, String> headers = SstHeaders.of(sst, ID, 4, 5, 0xdeadbeef).write();
        SstHeaders read = SstHeaders.read(headers::get);
        assertEquals(headers, read.write());
        assertEquals(SUM.sum(), read.file(ID, Path.of("y"), 99).sum());
        headers.keySet().forEach(name -> {
            BadInputException missing = assertThrows(
                    BadInputException.class,
                    () -> SstHeaders.read(each -> each.equals(name) ? null : headers.get(each)));
            assertEquals(name + " is missing", missing.getMessage());
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "1-1-1-1-1", "../../../../../../../../etc/passwd", "6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a0g"})
    void invalidUuidIsRefused(String text) {
        assertThrows(BadInputException.class, () -> Wire.uuid("id", text));
    }

    @Test
    void problemIsOneFlatObject() throws Exception {
        Problem bare = Problem.of(ProblemKind.BUSY, "the node is busy");
        Problem whole =
                bare.waitingFor("disk").again(20).about("r1", "/v1/ssts").inState(Problem.JOINING);
        for (Problem problem : List.of(bare, whole)) {
            assertEquals(problem, through(problem, Problem.class));
        }
        assertEquals(
                "{\"type\":\"" + ProblemKind.BUSY.type() + "\",\"title\":\"" + ProblemKind.BUSY.title()
                        + "\",\"status\":503,\"detail\":\"the node is busy\",\"limiter\":\"disk\",\"retryAfterMillis\":20,"
                        + "\"requestId\":\"r1\",\"instance\":\"/v1/ssts\",\"state\":\"joining\"}",
                JSON.writeValueAsString(whole));
        assertNull(JSON.readValue("{}", Problem.class).kind().type());
    }

    @ParameterizedTest
    @EnumSource(ProblemKind.class)
    void kindsAreFoundByType(ProblemKind kind) {
        assertEquals(kind, ProblemKind.ofType(kind.type()));
        assertNull(ProblemKind.ofType("about:blank"));
    }
}
