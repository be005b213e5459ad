import { asEventLogError } from '../client-errors.js';
import { requestGossip, type ClusterView } from './gossip.js';
import { countVotes, type NamedLeader } from './leader-vote.js';
import type { Servers } from '../connection-string.js';
import { Node } from '../node.js';

/** How long a node may take to say who leads. */
const responseTimeoutMs = 1_000;

/** Which nodes to ask for the leader, and whose vote counts less. */
export interface LeaderQuery {
  /** Nodes that lose a tie. */
  readonly doubted?: ReadonlySet<string>;
  /** Nodes that are not asked, because they are silent: the result would have to wait for them. */
  readonly without?: ReadonlySet<string>;
}

/**
 * Asks the nodes of a cluster, all at the same time, who leads, and returns as soon as the responses
 * decide it. Undefined when there is no leader. Throws an `EventLogError` when no node responds.
 */
export const findLeader = async (
  servers: Servers,
  { doubted = new Set(), without = new Set() }: LeaderQuery,
): Promise<NamedLeader | undefined> => {
  const asked = (addresses: readonly string[]) => addresses.filter((each) => !without.has(each));
  const views = await askAll(servers, asked(servers.addresses), doubted);
  if (!servers.isDiscovered) return countVotes(views, doubted);
  // A DNS name resolves to any of the nodes, so only the nodes themselves are counted.
  const members = [...new Set(views.flatMap((view) => view.members))];
  return countVotes(await askAll(servers, asked(members), doubted), doubted);
};

/** The views of the nodes that respond, until they decide who leads. */
const askAll = async (
  servers: Servers,
  addresses: readonly string[],
  doubted: ReadonlySet<string>,
): Promise<readonly ClusterView[]> => {
  const views: ClusterView[] = [];
  let failure: unknown;
  await new Promise<void>((resolve) => {
    const done = Promise.all(
      addresses.map(async (address) => {
        try {
          views.push(await requestView(servers, address));
          if (countVotes(views, doubted)?.isDecided === true) resolve();
        } catch (error) {
          failure = error;
        }
      }),
    );
    void done.then(() => resolve());
  });
  if (views.length === 0 && failure !== undefined) throw asEventLogError(failure, servers.hosts);
  return views;
};

/** Asks over a new connection, because an existing one to a suspended node no longer responds. */
const requestView = async (servers: Servers, address: string): Promise<ClusterView> => {
  const node = new Node(address, servers.clientOf(address));
  try {
    return await requestGossip(node.client, responseTimeoutMs);
  } finally {
    node.leave('the query for the leader is complete');
  }
};
