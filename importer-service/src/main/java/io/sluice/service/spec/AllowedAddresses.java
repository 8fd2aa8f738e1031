package io.sluice.service.spec;

import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
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
 * The addresses that the service may read: those below an address of the operator, compared by scheme, host, port and
 * decoded path; objects of a store by bucket and key. A path with a {@code ..} step in any encoding is below no root,
 * because servers interpret it differently. Hosts with a link-local address, and the addresses of cloud metadata
 * services, are refused unless the operator named exactly that address.
 */
final class AllowedAddresses {
    /** Number of percent-decodings to check; one more than servers and their proxies do together. */
    private static final int DECODINGS = 4;

    private static final Pattern STORE = Pattern.compile("(?i:s3)://([A-Za-z0-9._-]+)(/.*)?", Pattern.DOTALL);

    /** Metadata services outside of link-local addresses: AWS by IPv6, Alibaba, Oracle. */
    private static final List<String> METADATA = List.of("fd00:ec2::254", "100.100.100.200", "192.0.0.192");

    /**
     * The parts of an address that are compared.
     *
     * @param origin scheme, host and port, in lower case, without the scheme's own port
     * @param path decoded once; of a store's object, its key as it is
     */
    private record Address(String origin, String host, String path) {}

    private final List<Address> roots = new ArrayList<>();

    /**
     * Adds a root.
     *
     * @throws BadInputException if it is not an address, or would allow more than it says
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

    /** All roots, for messages. */
    List<String> names() {
        return roots.stream().map(root -> root.origin + root.path).toList();
    }

    /** Whether the text of an address is below a root. */
    boolean allows(String text) {
        Address address = parsed(text);
        return address != null
                && roots.stream()
                        .anyMatch(root -> root.origin.equals(address.origin) && address.path.startsWith(root.path));
    }

    /**
     * Checks an address, and the network addresses that its host resolves to now.
     *
     * @throws BadInputException if the service must not read the address
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
            // An unknown host cannot be connected to either; the connection reports it and retries.
            return;
        }
    }

    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
    }

    /** Whether an address is link-local, a metadata service, or an IPv6 address that embeds such an IPv4 address. */
    static boolean isRefused(InetAddress address) {
        if (address.isLinkLocalAddress() || address.isMulticastAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        for (String each : METADATA) {
            try {
                // An address literal, so no name is resolved.
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

    /** The IPv4 address embedded in an address of NAT64 (64:ff9b::/96), 6to4 (2002::/16), or ::a.b.c.d; or null. */
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
            // ::1 has only its last byte set; it is loopback and embeds no address.
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
                // Keys are compared as they are, because they are not encoded; a key that decodes to a step up is
                // refused nevertheless.
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
            return plain == null ? null : new Address(origin, host, store.matches() ? path : plain);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String host(String host) {
        String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return plain.toLowerCase(Locale.ROOT);
    }

    /** Scheme, host and port in the compared form. */
    static String origin(URI uri) {
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        int usual = scheme.equals("https") ? 443 : 80;
        String port = uri.getPort() < 0 || uri.getPort() == usual ? "" : ":" + uri.getPort();
        return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + port;
    }

    /** Decodes a path once; null if any decoding of it has a step up or an invalid character. */
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
        // Characters that a server may interpret as a dot or a slash.
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

    /** Replaces %XX once, as UTF-8; malformed bytes become U+FFFD. */
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
                // A literal percent sign.
                bytes.write(raw[i]);
            } else {
                bytes.write(high << 4 | low);
                i += 2;
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
