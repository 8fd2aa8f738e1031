package io.sluice.importer.source.remote;

import java.net.URI;

/** Redacts addresses for messages: removes user names, passwords, and queries, which may be signatures. */
final class Redaction {
    private Redaction() {}

    static String name(URI uri) {
        String authority = uri.getRawAuthority();
        // A bucket name may be invalid as a host name; then the URI has no host.
        String place = authority == null ? "" : authority.substring(authority.lastIndexOf('@') + 1);
        return uri.getScheme() + "://" + place + uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?…");
    }
}
