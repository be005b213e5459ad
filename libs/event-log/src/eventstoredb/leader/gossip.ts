import type { EventStoreDBClient } from '@eventstore/db-client';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';

const { LEADER } = gossipPb.MemberInfo.VNodeState;

/** One node's view of its cluster. */
export interface ClusterView {
  /** `host:port` of all nodes, including those that are down. */
  readonly members: readonly string[];
  /** The leader, as far as this node knows. */
  readonly leader: string | undefined;
}

/** Asks a node for its view. Rejects when there is no response in time. */
export const requestGossip = (
  client: EventStoreDBClient,
  timeoutMs: number,
): Promise<ClusterView> =>
  client['execute'](
    gossipGrpc.GossipClient,
    'gossip',
    (grpc) =>
      new Promise<ClusterView>((resolve, reject) => {
        const deadline = Date.now() + timeoutMs;
        const [metadata, options] = client['callArguments']({}, { deadline });
        grpc.read(new sharedPb.Empty(), metadata, options, (error, info) =>
          error === null ? resolve(viewOf(info)) : reject(error),
        );
      }),
  );

const viewOf = (info: ClusterInfo): ClusterView => {
  const members: string[] = [];
  let leader: string | undefined;
  for (const member of info.getMembersList()) {
    const endPoint = member.getHttpEndPoint();
    if (endPoint === undefined) continue;
    const address = `${endPoint.getAddress()}:${endPoint.getPort()}`;
    members.push(address);
    if (member.getIsAlive() && member.getState() === LEADER) leader = address;
  }
  return { members, leader };
};
