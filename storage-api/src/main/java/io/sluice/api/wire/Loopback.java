package io.sluice.api.wire;

import java.util.regex.Pattern;

/** Hosts that are this machine by their name alone: the only ones that a token may go to without TLS. */
public final class Loopback {
    /** Of 127.0.0.0/8. */
    private static final Pattern IPV4 = Pattern.compile("127(\\.\\d{1,3}){3}");

    private Loopback() {}

    /**
     * Whether a host is this machine. No name is looked up: what a resolver says may change.
     *
     * @param host a name or an address, an IPv6 address with or without its brackets
     */
    public static boolean is(String host) {
        return host.equalsIgnoreCase("localhost")
                || host.equals("::1")
                || host.equals("[::1]")
                || IPV4.matcher(host).matches();
    }
}
