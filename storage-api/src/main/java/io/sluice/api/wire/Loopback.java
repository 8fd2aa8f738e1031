package io.sluice.api.wire;

import java.util.regex.Pattern;

/** Recognizes loopback hosts by name; a client sends a token without TLS only to such a host. */
public final class Loopback {
    /** An address in 127.0.0.0/8. */
    private static final Pattern IPV4 = Pattern.compile("127(\\.\\d{1,3}){3}");

    private Loopback() {}

    /**
     * Whether a host is a loopback host. Does not resolve names, because the result of a lookup can change.
     *
     * @param host a name or an address; an IPv6 address may have brackets
     */
    public static boolean is(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.equals("::1")
                || host.equals("[::1]")
                || IPV4.matcher(host).matches();
    }
}
