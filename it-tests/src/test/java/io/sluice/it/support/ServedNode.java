package io.sluice.it.support;

import io.sluice.http.HttpSettings;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.http.NodeLimits;
import io.sluice.node.http.NodeServer;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A storage node of this process that is served over HTTP on a port of its own. */
public record ServedNode(StorageNode node, SqlEngine engine, NodeServer server) implements AutoCloseable {
    /** Serves a store with the default limits, at a free port of loopback. */
    public static ServedNode open(Path store) {
        return open(store, NodeLimits.defaults());
    }

    /** Serves a store with limits, at a free port of loopback. */
    public static ServedNode open(Path store, NodeLimits limits) {
        return open(store, limits, SqlSettings.defaults());
    }

    /** Serves a store with settings of the node, at a free port of loopback. */
    public static ServedNode open(Path store, NodeSettings settings) {
        return open(store, settings, NodeLimits.defaults(), SqlSettings.defaults());
    }

    static ServedNode open(Path store, NodeLimits limits, SqlSettings sql) {
        return open(store, NodeSettings.defaults(), limits, sql);
    }

    private static ServedNode open(Path store, NodeSettings settings, NodeLimits limits, SqlSettings sql) {
        StorageNode node = StorageNode.open(store, settings);
        SqlEngine engine = SqlEngine.on(node, sql);
        try {
            return new ServedNode(
                    node,
                    engine,
                    NodeServer.start(
                            node,
                            engine,
                            new HttpSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, null),
                            limits));
        } catch (RuntimeException e) {
            engine.close();
            node.close();
            throw e;
        }
    }

    /** {@code http://HOST:PORT}. */
    public String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
        engine.close();
        node.close();
    }
}
