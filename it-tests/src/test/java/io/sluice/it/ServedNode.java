package io.sluice.it;

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
record ServedNode(StorageNode node, SqlEngine engine, NodeServer server) implements AutoCloseable {
    static ServedNode open(Path store) {
        return open(store, NodeLimits.defaults());
    }

    static ServedNode open(Path store, NodeLimits limits) {
        StorageNode node = StorageNode.open(store, NodeSettings.defaults());
        SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
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

    String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
        engine.close();
        node.close();
    }
}
