package io.sluice.cli.node;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT}, {@code [IPV6]:PORT}. */
public final class HostPort implements ITypeConverter<InetSocketAddress> {
    private static final int MAX_PORT = 65535;

    @Override
    public InetSocketAddress convert(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
        }
        if (host.isEmpty() || (!bracketed && host.indexOf(':') >= 0)) {
            throw new TypeConversionException("'" + text + "' is not HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001");
        }
        return new InetSocketAddress(host, port(text, text.substring(colon + 1)));
    }

    private static int port(String text, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' has no number after the last colon");
        }
        throw new TypeConversionException("'" + text + "': the port must be 0 to " + MAX_PORT);
    }
}
