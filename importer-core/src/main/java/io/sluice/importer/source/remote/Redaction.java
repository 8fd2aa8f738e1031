package io.sluice.importer.source.remote;

import java.net.URI;

/** Addresses as they may be shown: without user names, passwords, and queries, which may be signatures. */
final class Redaction {
    private Redaction() {}

    static String name(URI uri) {
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + port + uri.getRawPath()
                + (uri.getRawQuery() == null ? "" : "?…");
    }
}
