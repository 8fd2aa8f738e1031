package io.sluice.cli.node;

import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits.ConnectionLimits;
import io.sluice.model.error.BadInputException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Certificate and limits of connections: options of every command that listens. */
public final class ListenOptions {
    /** Minimum, to leave room for requests that must always be answered. */
    private static final int FEWEST = 8;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Certificate chain in PEM.")
    @Nullable
    Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Private key of the certificate in PEM, PKCS #8, not encrypted.")
    @Nullable
    Path key;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Limit of open connections; 3/4 of them may have requests in progress." + " Default: 1024.")
    int total = ConnectionLimits.defaults().total();

    @Option(
            names = "--client-connections",
            paramLabel = "N",
            description = "Limit of connections from one address. Default: half of --connections.")
    int perClient;

    /**
     * The files, or null for none.
     *
     * @throws BadInputException when one is given without the other
     */
    public HttpSettings.@Nullable TlsFiles tls() {
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            throw new BadInputException("--tls-cert and --tls-key go together; give both or neither");
        }
        return new HttpSettings.TlsFiles(certificate, key);
    }

    /**
     * Returns the limits.
     *
     * @throws BadInputException when they are too small
     */
    public ConnectionLimits limits() {
        int ofClient = perClient == 0 ? total / 2 : perClient;
        if (total < FEWEST || ofClient < FEWEST / 2 || ofClient > total) {
            throw new BadInputException("--connections " + total + ", --client-connections " + ofClient
                    + ": must be at least " + FEWEST + " and " + FEWEST / 2
                    + ", and one address may not have more than there are");
        }
        return ConnectionLimits.of(total, ofClient);
    }

    /** {@code HOST:PORT}, {@code [IPV6]:PORT}. */
    public static final class HostPort implements ITypeConverter<InetSocketAddress> {
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
                throw new TypeConversionException(
                        "'" + text + "' is not HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001");
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
}
