package io.sluice.http;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.metric.NoopMeterRegistry;
import com.linecorp.armeria.common.util.ThreadFactories;
import com.linecorp.armeria.common.util.TransportType;
import com.linecorp.armeria.server.GracefulShutdown;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerPort;
import com.linecorp.armeria.server.ServiceConfig;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A listening HTTP server: its routes behind one gatekeeper, its pools and its limits. The caller opens the served
 * resources before the server and closes them after it. {@link #close} returns when no request uses them any more,
 * except work in pools that are {@linkplain Pools.AtEnd#LEFT left}.
 */
public final class HttpServer implements AutoCloseable {
    /** Read buffer size; fewer, larger chunks of a body cost less. */
    private static final int CHUNK_BYTES = 32 << 10;
    /** HTTP/2 flow control window, per stream and per connection. */
    private static final int WINDOW_BYTES = 1 << 20;

    private static final int CONNECTION_WINDOW_BYTES = 4 << 20;
    private static final int MAX_LINE_BYTES = 64 << 10;
    private static final int STREAMS_PER_CONNECTION = 64;
    /** Length of the kernel's accept queue; a burst must not delay other clients by a lost SYN. */
    private static final int BACKLOG = 4096;

    private static final long ACCEPTOR_CLOSE_SECONDS = 15;

    /** Ports below need a privilege, so their failure may have another reason. */
    private static final int FIRST_OPEN_PORT = 1024;

    private final Server server;
    private final Gatekeeper gatekeeper;
    private final Pools pools;
    private final boolean secure;

    private HttpServer(Server server, Gatekeeper gatekeeper, Pools pools, boolean secure) {
        this.server = server;
        this.gatekeeper = gatekeeper;
        this.pools = pools;
        this.secure = secure;
    }

    /**
     * Starts a server.
     *
     * @param routes adds the server's routes
     * @throws OperationFailedException if the address is in use or not an address of this machine
     * @throws BadInputException if the certificate is unusable
     */
    public static HttpServer start(
            HttpSettings settings, ServerLimits limits, ServerProfile profile, Consumer<ServerRoutes> routes) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        Connections connections = new Connections(limits.connections(), registry, profile.metrics());
        Gatekeeper gatekeeper = new Gatekeeper(profile, settings, new RequestLog(registry, profile, connections));
        Pools pools = new Pools(profile.name());
        try {
            ServerBuilder builder = Server.builder();
            listen(builder, settings);
            limit(builder, limits, connections);
            Failures failures = new Failures(profile);
            routes.accept(new ServerRoutes(builder, profile, limits, pools, registry, gatekeeper::closing, failures));
            Server server = builder.decorator(gatekeeper).errorHandler(failures).build();
            server.start().join();
            return new HttpServer(server, gatekeeper, pools, settings.tls() != null);
        } catch (CompletionException e) {
            pools.close();
            throw new OperationFailedException(
                    "could not listen on " + settings.listen().getHostString() + ":"
                            + settings.listen().getPort() + ": "
                            + whyNot(settings.listen(), Objects.requireNonNullElse(e.getCause(), e)),
                    e);
        } catch (RuntimeException | Error e) {
            pools.close();
            throw e;
        }
    }

    /** Returns why the server cannot listen at an address, in plain words. */
    private static String whyNot(InetSocketAddress address, Throwable failure) {
        InetAddress host = address.getAddress();
        try {
            if (host != null && !host.isAnyLocalAddress() && NetworkInterface.getByInetAddress(host) == null) {
                return address.getHostString() + " is no address of this machine";
            }
            try (ServerSocket probe = new ServerSocket()) {
                probe.bind(address);
            }
        } catch (BindException e) {
            if (address.getPort() >= FIRST_OPEN_PORT) {
                return "port " + address.getPort()
                        + " is in use by another process; end that one, or name another address with --listen";
            }
        } catch (IOException e) {
            // The first failure is as good a reason.
        }
        return Reasons.ofConnection(failure);
    }

    private static void listen(ServerBuilder builder, HttpSettings settings) {
        HttpSettings.TlsFiles tls = settings.tls();
        if (tls == null) {
            builder.port(new ServerPort(settings.listen(), SessionProtocol.HTTP));
            return;
        }
        builder.port(new ServerPort(settings.listen(), SessionProtocol.HTTPS));
        try {
            builder.tls(TlsKeyPair.of(tls.key().toFile(), tls.certificate().toFile()));
        } catch (RuntimeException e) {
            throw new BadInputException(
                    "TLS: " + tls.certificate() + " and " + tls.key()
                            + " are no certificate and its unencrypted PKCS #8 key in PEM: " + e.getMessage(),
                    e);
        }
    }

    private static void limit(ServerBuilder builder, ServerLimits limits, Connections connections) {
        builder.bossGroupFactory(HttpServer::acceptor)
                .disableServerHeader()
                // Armeria's own metrics use a registry of the whole process, in which two servers would collide.
                .meterRegistry(NoopMeterRegistry.get())
                .maxNumConnections(acceptedConnections(limits.connections().total()))
                .channelOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .idleTimeoutMillis(limits.connections().idleMillis())
                .childChannelPipelineCustomizer(pipeline -> connections.opened(pipeline.channel()))
                .http1MaxInitialLineLength(MAX_LINE_BYTES)
                .http1MaxHeaderSize(limits.headerBytes())
                .http1MaxChunkSize(CHUNK_BYTES)
                .http2MaxHeaderListSize(limits.headerBytes())
                .http2InitialStreamWindowSize(WINDOW_BYTES)
                .http2InitialConnectionWindowSize(CONNECTION_WINDOW_BYTES)
                .http2MaxStreamsPerConnection(STREAMS_PER_CONNECTION)
                .requestTimeoutMillis(limits.requestMillis())
                .maxRequestLength(limits.bodyBytes())
                // RequestLog logs failures, except those that the client caused.
                .unloggedExceptionsReportIntervalMillis(0)
                .gracefulShutdown(GracefulShutdown.builder()
                        .quietPeriod(Duration.ZERO)
                        .timeout(Duration.ofMillis(limits.drainMillis()))
                        .build());
    }

    /**
     * Creates the thread that accepts connections. It ends at once on shutdown: Netty's default waits two seconds for
     * more work, but there is none once the listening sockets are closed.
     */
    private static EventLoopGroup acceptor(String name) {
        ThreadFactory threads = ThreadFactories.newEventLoopThreadFactory(name, false);
        TransportType transport = Flags.transportType();
        if (transport != TransportType.EPOLL && transport != TransportType.NIO) {
            return transport.newIoEventLoopGroup(1, type -> threads);
        }
        IoHandlerFactory handlers =
                transport == TransportType.EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(1, threads, handlers) {
            @Override
            public Future<?> shutdownGracefully() {
                return shutdownGracefully(0, ACCEPTOR_CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        };
    }

    /**
     * Number of connections above which the acceptor closes new ones. It is higher than the bound of
     * {@link Connections}, which chooses better, because evicted connections take a moment to close.
     */
    private static int acceptedConnections(int total) {
        return (int) Math.min(Integer.MAX_VALUE, 2L * total + 1024);
    }

    /** The listen address, with the actual port if the settings have port 0. */
    public InetSocketAddress address() {
        return Objects.requireNonNull(server.activePort(), "no port").localAddress();
    }

    /** The base URL for clients: scheme, host and port. */
    public String url() {
        InetSocketAddress address = address();
        String host = address.getAddress().getHostAddress();
        return (secure ? "https://" : "http://") + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":"
                + address.getPort();
    }

    /** All routes; for tests that must cover each one. */
    public List<ServiceConfig> routes() {
        return server.config().serviceConfigs();
    }

    /** Refuses new requests, waits for those in progress up to the drain time, and stops. */
    @Override
    public void close() {
        gatekeeper.close();
        server.stop().join();
        pools.close();
    }
}
