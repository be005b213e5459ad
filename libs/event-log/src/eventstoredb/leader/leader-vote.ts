import type { ClusterView } from './gossip.js';

/** The node with the most votes. */
export interface NamedLeader {
  readonly address: string;
  /** More than one node names it, or there is only one node. */
  readonly isConfirmed: boolean;
  /** More than half of the cluster names it, so further responses can't change the result. */
  readonly isDecided: boolean;
}

/**
 * Finds the leader: the node that most nodes name; a `doubted` node loses a tie. A node that was
 * suspended still names itself although the others may have elected a new leader, so a single vote
 * does not confirm a leader.
 */
export const countVotes = (
  views: readonly ClusterView[],
  doubted: ReadonlySet<string> = new Set(),
): NamedLeader | undefined => {
  const votes = new Map<string, number>();
  for (const { leader } of views) {
    if (leader !== undefined) votes.set(leader, (votes.get(leader) ?? 0) + 1);
  }
  const weight = ([address, count]: readonly [string, number]): number =>
    2 * count - (doubted.has(address) ? 1 : 0);
  const [first] = [...votes].toSorted((a, b) => weight(b) - weight(a));
  if (first === undefined) return undefined;
  const [address, count] = first;
  const size = Math.max(...views.map(({ members }) => members.length));
  return { address, isConfirmed: count > 1 || size === 1, isDecided: 2 * count > size };
};
