package io.sluice.importer.source.remote;

import java.net.URI;

/** Addresses as they may be shown: without user names, passwords, and queries, which may be signatures. */
final class Redaction {
    private Redaction() {}

    static String name(URI uri) {
        String authority = uri.getRawAuthority();
        // Buckets may have names that are no names of hosts; then the URI knows no host.
        String place = authority == null ? "" : authority.substring(authority.lastIndexOf('@') + 1);
        return uri.getScheme() + "://" + place + uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?…");
    }
}
