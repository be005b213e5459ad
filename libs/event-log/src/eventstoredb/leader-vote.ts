import type { ClusterView } from './gossip.js';

/** A node that leads, by the word of others or only by its own. */
export interface NamedLeader {
  readonly address: string;
  /** More than one node says so, or there is no other. */
  readonly isConfirmed: boolean;
  /** More than half of the cluster says so: whatever the others say, it stays so. */
  readonly isDecided: boolean;
}

/**
 * Who leads, by what the nodes say: the one that most of them name. A node that was held still names
 * itself although the others have a new leader by then, so one word alone does not confirm it.
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
