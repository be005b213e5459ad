import { readFileSync } from 'node:fs';
import { Server, ServerCredentials, type Metadata } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { AppendGroups } from './appending/append-groups.js';
import { appendCalls } from './appending/append-calls.js';
import type { Double } from './double.js';
import {
  ClusterInfo,
  EndPoint,
  MemberInfo,
  SupportedMethod,
  SupportedMethods,
  UUID,
} from './protocol.js';
import { readCall } from './reading/read-call.js';
import { accessDenied, noLeader, notLeader, unauthenticated } from './rpc-errors.js';
import { DoubleStore } from './sqlite/double-store.js';

export interface DoubleOptions {
  /**
   * The file that holds all data. Doubles that share a file are a cluster, whose leader the file
   * names.
   */
  readonly file: string;
  /** The address to listen on. Other doubles of the cluster know it as 127.0.0.1. */
  readonly host: string;
  readonly port: number;
  /** PEM files. Without them there is no TLS, and clients send no credentials. */
  readonly tls?: { readonly key: string; readonly certificate: string } | undefined;
  /** `user:password`. When given, clients must send it. */
  readonly login?: string | undefined;
  /** How many events a live subscriber may be behind before it is cut off. */
  readonly liveBuffer: number;
  /**
   * Each event whose position is a multiple of this is followed by a system event: about one event
   * in this many. 0 means never.
   */
  readonly noiseEvery: number;
  /** How long an append takes to be committed, in milliseconds. */
  readonly commitAfterMs: number;
}

export interface RunningDouble {
  readonly port: number;
  close(): void;
}

/** Starts a double in this process. */
export const startDouble = async (options: DoubleOptions): Promise<RunningDouble> => {
  const store = new DoubleStore(options.file, options.noiseEvery);
  let own = '';
  const groups = new AppendGroups(store, {
    commitAfterMs: options.commitAfterMs,
    address: () => own,
  });
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  const double: Double = {
    store,
    groups,
    liveBuffer: options.liveBuffer,
    refusal: (metadata) =>
      loginRefusal(metadata, options.login) ??
      (store.isBehind(own) ? undefined : leaderRefusal(metadata, store.cluster.leader(), own)),
  };
  server.addService(streams.StreamsService, { ...appendCalls(double), read: readCall(double) });
  server.addService(features.ServerFeaturesService, {
    getSupportedMethods: (
      _call: unknown,
      reply: (error: null, methods: InstanceType<typeof SupportedMethods>) => void,
    ) => reply(null, supportedMethods()),
  });
  server.addService(gossip.GossipService, {
    read: (_call: unknown, reply: (error: null, info: InstanceType<typeof ClusterInfo>) => void) =>
      reply(
        null,
        clusterInfo(
          store.cluster.members(),
          store.isBehind(own) ? own : (store.cluster.leader() ?? own),
        ),
      ),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(
      `${options.host}:${options.port}`,
      credentialsOf(options.tls),
      (error, bound) => (error === null ? resolve(bound) : reject(error)),
    );
  });
  own = `127.0.0.1:${port}`;
  store.cluster.join(own);
  return {
    port,
    close: () => {
      server.forceShutdown();
      groups.close();
      store.close();
    },
  };
};

const credentialsOf = (tls: DoubleOptions['tls']): ServerCredentials =>
  tls === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { private_key: readFileSync(tls.key), cert_chain: readFileSync(tls.certificate) },
      ]);

const loginRefusal = (metadata: Metadata, login: string | undefined) => {
  if (login === undefined) return undefined;
  const [given] = metadata.get('authorization');
  if (given === undefined) return accessDenied();
  return given === `Basic ${Buffer.from(login).toString('base64')}` ? undefined : unauthenticated();
};

const leaderRefusal = (metadata: Metadata, leader: string | undefined, own: string) => {
  if (leader === undefined || leader === own || metadata.get('requires-leader')[0] !== 'true')
    return undefined;
  if (leader === '') return noLeader();
  const [host = '', port = ''] = leader.split(':');
  return notLeader(host, port);
};

const supportedMethods = (): InstanceType<typeof SupportedMethods> => {
  const reply = new SupportedMethods();
  reply.setEventStoreServerVersion('23.10.6-double');
  reply.setMethodsList(
    ['read', 'append', 'delete', 'tombstone', 'batchappend'].map((name) => {
      const method = new SupportedMethod();
      method.setServiceName('event_store.client.streams.streams');
      method.setMethodName(name);
      return method;
    }),
  );
  return reply;
};

const clusterInfo = (
  members: readonly string[],
  leader: string,
): InstanceType<typeof ClusterInfo> => {
  const info = new ClusterInfo();
  for (const address of members) {
    const [host = '', port = ''] = address.split(':');
    const member = new MemberInfo();
    const endPoint = new EndPoint();
    endPoint.setAddress(host);
    endPoint.setPort(Number(port));
    member.setInstanceId(new UUID().setString(crypto.randomUUID()));
    member.setHttpEndPoint(endPoint);
    member.setIsAlive(true);
    member.setTimeStamp('0');
    member.setState(
      address === leader ? MemberInfo.VNodeState.LEADER : MemberInfo.VNodeState.FOLLOWER,
    );
    info.addMembers(member);
  }
  return info;
};
