package io.sluice.service.spec;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.source.remote.RemoteInputs;
import java.io.ByteArrayOutputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that may be read: those that begin with one that the operator named. Compared are scheme, host, port and
 * the decoded path. A path with a step up, however it is written, is below no root, because what a server makes of it
 * is not known. Hosts with a link-local address, and the addresses at which clouds serve credentials of the machine,
 * are refused, unless the operator named the very address.
 */
final class AllowedAddresses {
    /** Decoding as often as servers and the proxies before them do, and once more. */
    private static final int DECODINGS = 4;

    private static final Pattern STORE = Pattern.compile("(?i:s3)://([A-Za-z0-9._-]+)(/.*)?", Pattern.DOTALL);

    /** Metadata services outside of link-local addresses: AWS by IPv6, Alibaba, Oracle. */
    private static final List<String> METADATA = List.of("fd00:ec2::254", "100.100.100.200", "192.0.0.192");

    /**
     * An address in the parts that are compared.
     *
     * @param origin scheme, host and port, in lower case, without the scheme's own port
     * @param path decoded once
     */
    private record Address(String origin, String host, String path) {}

    private final List<Address> roots = new ArrayList<>();

    /**
     * Adds a root.
     *
     * @throws BadInputException when it is no address, or would allow more than it says
     */
    void add(String root) {
        Address address = parsed(root);
        if (address == null || address.path.isEmpty() || root.indexOf('@') >= 0) {
            throw new BadInputException("--allow-root " + RemoteInputs.shown(root)
                    + ": end it with a slash, such as https://HOST/ or s3://BUCKET/, and without credentials:"
                    + " it is the beginning that allowed addresses have");
        }
        roots.add(address);
    }

    /** All roots, for people. */
    List<String> names() {
        return roots.stream().map(root -> root.origin + root.path).toList();
    }

    /** Whether an address is below a root, as far as its text tells. */
    boolean allows(String text) {
        Address address = parsed(text);
        return address != null
                && roots.stream()
                        .anyMatch(root -> root.origin.equals(address.origin) && address.path.startsWith(root.path));
    }

    /**
     * Checks an address, and the network addresses that its host has now.
     *
     * @throws BadInputException when it must not be read
     */
    void check(URI address) {
        String shown = RemoteInputs.shown(address.toString());
        if (!allows(address.toString())) {
            throw new BadInputException(shown + " is not below an allowed address" + SourceRoots.HINT);
        }
        String host = host(address.getHost());
        if (roots.stream().anyMatch(root -> root.host.equals(host)) && isLiteral(host)) {
            return;
        }
        try {
            for (InetAddress each : InetAddress.getAllByName(host)) {
                if (isRefused(each)) {
                    throw new BadInputException(shown + ": its host has the address " + each.getHostAddress()
                            + ", which is link-local or of a metadata service; the service does not read from there");
                }
            }
        } catch (UnknownHostException e) {
            // Nobody can connect to it either; that is said where it is tried, and tried again.
            return;
        }
    }

    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    /** Link-local, a metadata service, or an IPv6 address that stands for such an IPv4 address. */
    static boolean isRefused(InetAddress address) {
        if (address.isLinkLocalAddress() || address.isMulticastAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        for (String each : METADATA) {
            try {
                // A literal: nothing is looked up.
                if (InetAddress.getByName(each).equals(address)) {
                    return true;
                }
            } catch (UnknownHostException e) {
                throw new IllegalStateException(each, e);
            }
        }
        InetAddress embedded = embedded(address);
        return embedded != null && isRefused(embedded);
    }

    /** The IPv4 address within an address of NAT64 (64:ff9b::/96), 6to4 (2002::/16), or ::a.b.c.d; or null. */
    private static @Nullable InetAddress embedded(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet4Address || bytes.length != 16) {
            return null;
        }
        boolean nat64 = bytes[0] == 0 && bytes[1] == 0x64 && (bytes[2] & 0xff) == 0xff && (bytes[3] & 0xff) == 0x9b;
        boolean compatible = true;
        for (int i = 0; i < 12; i++) {
            compatible &= bytes[i] == 0;
        }
        boolean sixToFour = bytes[0] == 0x20 && bytes[1] == 0x02;
        int from = nat64 || compatible ? 12 : 2;
        if (!nat64 && !compatible && !sixToFour) {
            return null;
        }
        try {
            InetAddress inner = InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4));
            // Of ::1 only the last byte is set; it is loopback, and has no address within.
            return compatible && inner.getAddress()[0] == 0 ? null : inner;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes", e);
        }
    }

    private static @Nullable Address parsed(String address) {
        Matcher store = STORE.matcher(address);
        try {
            String origin;
            String host;
            String path;
            if (store.matches()) {
                // Keys are not encoded; what would be a step up if it were decoded is refused all the same.
                host = store.group(1);
                origin = "s3://" + host;
                path = store.group(2) == null ? "" : store.group(2);
            } else {
                URI uri = new URI(address);
                if (uri.getHost() == null) {
                    return null;
                }
                host = host(uri.getHost());
                origin = origin(uri);
                path = uri.getRawPath();
            }
            String plain = plainPath(path);
            return plain == null ? null : new Address(origin, host, plain);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String host(String host) {
        String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return plain.toLowerCase(Locale.ROOT);
    }

    /** Scheme, host and port, as they are compared. */
    static String origin(URI uri) {
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        int usual = scheme.equals("https") ? 443 : 80;
        String port = uri.getPort() < 0 || uri.getPort() == usual ? "" : ":" + uri.getPort();
        return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + port;
    }

    /** A path decoded once; null when any reading of it may step up, or has what no path has. */
    private static @Nullable String plainPath(String raw) {
        String first = decoded(raw);
        String path = raw;
        for (int i = 0; i < DECODINGS; i++) {
            String next = decoded(path);
            if (stepsUp(next)) {
                return null;
            }
            if (next.equals(path)) {
                return first;
            }
            path = next;
        }
        return null;
    }

    private static boolean stepsUp(String path) {
        // What a server may take for a dot or a slash.
        String plain = Normalizer.normalize(path, Normalizer.Form.NFKC).replace('\\', '/');
        if (plain.chars().anyMatch(c -> c < ' ' || c == 0x7f || c == 0xfffd)) {
            return true;
        }
        for (String step : plain.split("/", -1)) {
            int parameters = step.indexOf(';');
            String name = (parameters < 0 ? step : step.substring(0, parameters)).strip();
            if (name.equals(".") || name.equals("..")) {
                return true;
            }
        }
        return false;
    }

    /** With %XX replaced once, as UTF-8; malformed bytes become U+FFFD. */
    private static String decoded(String path) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
        byte[] raw = path.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '%') {
                bytes.write(raw[i]);
                continue;
            }
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                // A percent sign that is meant as one.
                bytes.write(raw[i]);
            } else {
                bytes.write(high << 4 | low);
                i += 2;
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
