package io.sluice.node.cluster;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.protocol.exceptions.ReadIndexException;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;

/**
 * Ratis over gRPC, with answers to other members that Ratis 3.3 gives too early.
 *
 * <p>Followers append one request at a time, and acknowledge it after all that came before. A leader sends entries
 * again while they are on their way, also over a new connection beside the old one. Ratis acknowledges such entries:
 *
 * <ul>
 *   <li>by default, with later ones that it does not append at all, if they come with ones that are being written
 *       ({@code ServerImplUtils.NavigableIndices.append}); {@link ConsensusServer} switches this off;
 *   <li>without that, while they are being written ({@code SegmentedRaftLog.appendImpl}).
 * </ul>
 *
 * <p>Followers check the term of a request and append its entries under the lock of Ratis, so that they do not vote for
 * another leader in between. Ratis releases it before it appends ({@code RaftServerImpl.appendEntriesAsync}): the old
 * leader could take an entry as committed that the voters of the new one did not have when they elected it.
 *
 * <p>A leader says which entries a read must see only while most voters answer it ({@link Leadership}).
 *
 * <p>Ratis creates it from the name of the class.
 */
public final class StrictRaftRpc implements RpcType {
    @Override
    public String name() {
        return StrictRaftRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new GrpcFactory(parameters) {
            @Override
            public GrpcServices newRaftServerRpc(RaftServer server) {
                return super.newRaftServerRpc(strict(server));
            }
        };
    }

    /** A server as the other nodes see it. */
    static RaftServer strict(RaftServer server) {
        Order order = new Order();
        return (RaftServer) Proxy.newProxyInstance(
                StrictRaftRpc.class.getClassLoader(), new Class<?>[] {RaftServer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("appendEntriesAsync")
                            && arguments[0] instanceof AppendEntriesRequestProto request
                            && request.getEntriesCount() > 0) {
                        return order.append(server, request);
                    }
                    if (method.getName().equals("readIndexAsync")
                            && arguments[0] instanceof ReadIndexRequestProto request) {
                        return readIndex(server, request);
                    }
                    try {
                        return method.invoke(server, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    } finally {
                        if (method.getName().equals("installSnapshot")) {
                            order.forget();
                        }
                    }
                });
    }

    private static CompletableFuture<ReadIndexReplyProto> readIndex(RaftServer server, ReadIndexRequestProto request)
            throws IOException {
        RaftServer.Division division = server.getDivision(
                ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId()));
        Leadership before = Leadership.of(division);
        return server.readIndexAsync(request).thenApply(reply -> {
            try {
                if (reply.getServerReply().getSuccess()
                        && !Leadership.of(division).confirms(before)) {
                    throw new CompletionException(new ReadIndexException("most voters do not answer the leader"));
                }
                return reply;
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** The requests that are not answered yet. */
    private static final class Order {
        /** Ends when all have been answered; guarded by this. */
        private CompletableFuture<?> earlier = CompletableFuture.completedFuture(null);

        synchronized CompletableFuture<AppendEntriesReplyProto> append(
                RaftServer server, AppendEntriesRequestProto request) throws IOException {
            CompletableFuture<AppendEntriesReplyProto> own = checkAndAppend(server, request);
            CompletableFuture<AppendEntriesReplyProto> inOrder = earlier.thenCombine(own, (all, reply) -> reply);
            // One that fails closes the log, or was not appended; later ones do not depend on it.
            earlier = inOrder.handle((reply, failure) -> null);
            return inOrder;
        }

        private static CompletableFuture<AppendEntriesReplyProto> checkAndAppend(
                RaftServer server, AppendEntriesRequestProto request) throws IOException {
            RaftServer.Division division = server.getDivision(
                    ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId()));
            if (!follows(division, request)) {
                // A change of the role waits for threads that need the lock: a request without entries makes it first.
                CompletableFuture<AppendEntriesReplyProto> unused = server.appendEntriesAsync(
                        request.toBuilder().clearEntries().build());
            }
            synchronized (division) {
                if (follows(division, request)) {
                    return server.appendEntriesAsync(request);
                }
            }
            // This member learns and has no vote, or it knows of a later term and appends nothing.
            return server.appendEntriesAsync(request);
        }

        /** Whether the role stays as it is when the server takes entries of this leader. */
        private static boolean follows(RaftServer.Division division, AppendEntriesRequestProto request) {
            return division.getInfo().isFollower() && division.getInfo().getCurrentTerm() == request.getLeaderTerm();
        }

        /**
         * Forgets the requests: a snapshot takes the place of entries that are still to be written, without an answer.
         */
        synchronized void forget() {
            earlier = CompletableFuture.completedFuture(null);
        }
    }
}
