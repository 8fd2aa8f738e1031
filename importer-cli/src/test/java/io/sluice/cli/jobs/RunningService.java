package io.sluice.cli.jobs;

import io.sluice.http.BearerToken;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.http.Tokens;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.service.ImportService;
import io.sluice.service.ServiceSettings;
import io.sluice.service.StateDirectory;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.ServedNode;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An import service over a storage node, both in this process, on a port of its own. It runs one job at a time, and
 * reads files below its directory.
 */
final class RunningService implements AutoCloseable {
    /** The history of an LSM tree as the service hands it through. */
    static final String LSM = "{\"title\":\"node <1>\",\"source\":\"event log\",\"notes\":[\"a gap\"],\"families\":[{"
            + "\"family\":\"t-100\",\"table\":\"t\",\"events\":[{\"q\":1,\"t\":1,\"k\":\"ingest\",\"f\":[2,2,2,1000,1000,0]},"
            + "{\"q\":2,\"t\":2,\"k\":\"compaction_end\",\"f\":[1,1,0,900,1000,900]}],\"files\":[],\"keys\":[]}]}";

    private static final long MEMORY_BYTES = 128L << 20;

    private final Path directory;
    private final @Nullable String token;
    private final StateDirectory state;
    private final StorageNode node;
    private ImportService service;

    RunningService(Path directory, @Nullable String token) {
        this(directory, token, FaultPoints.none());
    }

    /** As the other one, with points of the node's imports at which a test can stop them. */
    RunningService(Path directory, @Nullable String token, FaultPoints faults) {
        this.directory = directory;
        this.token = token;
        state = StateDirectory.open(directory.resolve("state"));
        node = StorageNode.open(
                directory.resolve("store"), NodeSettings.defaults().withFaults(faults));
        service = start(0);
    }

    private ImportService start(int port) {
        HttpSettings http = new HttpSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                token == null ? null : Tokens.of(new BearerToken(token)),
                null);
        return ImportService.start(
                new ServiceSettings(
                        state,
                        null,
                        new RunSettings(1, MEMORY_BYTES, 2, "test"),
                        ServiceSettings.USUAL_QUEUE_LIMIT,
                        new SourceRoots(List.of(directory.toString())),
                        http,
                        ServerLimits.defaults(),
                        Clock.systemUTC()),
                new Target(
                        node,
                        1,
                        node.workDirectory(),
                        directory.resolve("store"),
                        table -> LSM,
                        () -> List.of(new ServedNode("store", null, "embedded", node.status(), null))),
                (routes, audited) -> {});
    }

    /** Its address. */
    String url() {
        return service.url();
    }

    /** Ends the service and starts another one at the same address; the node stays. */
    void restart() {
        int port = service.server().address().getPort();
        service.close();
        service = start(port);
    }

    @Override
    public void close() {
        service.close();
        state.close();
        node.close();
    }
}
