package io.sluice.it.support;

import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.node.StorageNode;
import io.sluice.node.http.TableRoutes;
import io.sluice.service.ImportService;
import io.sluice.service.ServiceSettings;
import io.sluice.service.StateDirectory;
import io.sluice.service.run.RunSettings;
import io.sluice.service.run.ServedNode;
import io.sluice.service.run.Target;
import io.sluice.service.spec.SourceRoots;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** An import service of this process, over a store of its own. */
public final class RunningService implements AutoCloseable {
    private final StateDirectory state;
    private final StorageNode node;
    private final SqlEngine sql;
    private final ImportService service;

    private RunningService(StateDirectory state, StorageNode node, SqlEngine sql, ImportService service) {
        this.state = state;
        this.node = node;
        this.sql = sql;
        this.service = service;
    }

    /** A service whose jobs may read below a directory, and whose store is in it. */
    public static RunningService start(Path directory, int slots, int queueLimit) {
        return start(directory, slots, queueLimit, directory.toString());
    }

    /** A service whose jobs may read below one root. */
    public static RunningService startReading(Path directory, String root) {
        return start(directory, 1, 1, root);
    }

    private static RunningService start(Path directory, int slots, int queueLimit, String root) {
        StorageNode node = Imports.open(directory.resolve("store"));
        try {
            StateDirectory state = StateDirectory.open(directory.resolve("state"));
            ServiceSettings settings = new ServiceSettings(
                    state,
                    null,
                    new RunSettings(slots, slots * Imports.SMALL_MEMORY_BYTES, 2, "test"),
                    queueLimit,
                    new SourceRoots(List.of(root)),
                    new HttpSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, null),
                    ServerLimits.defaults(),
                    Clock.systemUTC());
            SqlEngine sql = SqlEngine.on(node, SqlSettings.defaults());
            return new RunningService(
                    state,
                    node,
                    sql,
                    ImportService.start(
                            settings,
                            new Target(
                                    node,
                                    1,
                                    node.workDirectory(),
                                    directory.resolve("store"),
                                    table -> null,
                                    () -> List.of(new ServedNode("store", null, "embedded", node.status(), null))),
                            (routes, audited) -> TableRoutes.add(routes, audited, node, sql)));
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /** The node that has the service's tables. */
    public StorageNode node() {
        return node;
    }

    /** The service in this process, for what no request shows. */
    public ImportService service() {
        return service;
    }

    /** A new client of this service. */
    public ServiceClient client() {
        return new ServiceClient(service.url());
    }

    @Override
    public void close() {
        service.close();
        state.close();
        sql.close();
        node.close();
    }
}
