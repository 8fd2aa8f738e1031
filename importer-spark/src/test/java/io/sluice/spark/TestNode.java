package io.sluice.spark;

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

/** A storage node of this process that is served over HTTP. */
record TestNode(StorageNode node, SqlEngine engine, NodeServer server) implements AutoCloseable {
    static TestNode start(Path store) {
        StorageNode node = StorageNode.open(store, NodeSettings.defaults());
        SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
        HttpSettings settings =
                new HttpSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, null);
        return new TestNode(node, engine, NodeServer.start(node, engine, settings, NodeLimits.defaults()));
    }

    String url() {
        return server.url();
    }

    /** Rows of a table on this node. */
    long rows(String table) {
        return node.digest(table).indexes().get(0).sum().count();
    }

    @Override
    public void close() {
        server.close();
        engine.close();
        node.close();
    }
}
