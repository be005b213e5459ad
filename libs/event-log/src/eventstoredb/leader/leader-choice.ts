import { unavailable } from '../../event-log-error.js';
import type { Servers } from '../connection-string.js';
import { Node } from '../node.js';
import { commitProof } from './commit-proof.js';
import { findLeader } from './find-leader.js';
import type { NamedLeader } from './leader-vote.js';

/** The node to connect to. */
export type ChosenLeader = Omit<NamedLeader, 'isDecided'>;

/** How quickly a node that only names itself must commit an append, in milliseconds. */
const proofMs = 1_000;

/** Chooses the node to connect to, and remembers what speaks for and against nodes. */
export class LeaderChoice {
  /** A node that is known to lead, and is chosen next. */
  named: string | undefined;
  /** Nodes that were behind, or did not commit, although they claimed to lead. */
  private readonly doubted = new Set<string>();
  /** Nodes that were left because another one leads: they may still be silent. */
  private readonly former = new Set<string>();

  constructor(
    private readonly servers: Servers,
    private readonly deadlineMs: number,
  ) {}

  /** Throws `unavailable` while there is no leader. */
  async next(): Promise<ChosenLeader> {
    const { servers, named } = this;
    this.named = undefined;
    if (named !== undefined) return { address: named, isConfirmed: true };
    const [only = ''] = servers.addresses;
    if (!servers.isCluster) return { address: only, isConfirmed: true };
    const leader = await this.find();
    if (leader !== undefined) return leader;
    throw unavailable(`EventStoreDB at ${servers.hosts} has no leader now`);
  }

  /**
   * Asks the other nodes whether one of them leads instead of this one, which is silent or does not
   * commit. That node is then chosen next. It needs a second vote, or must commit an append: only
   * the leader can, and right after an election the other nodes may not name it yet.
   */
  async isReplaced(address: string): Promise<boolean> {
    const { servers, doubted } = this;
    if (!servers.isCluster) return false;
    const others = { doubted, without: new Set([address]) };
    const leader = await findLeader(servers, others).catch(() => undefined);
    if (leader === undefined || leader.address === address) return false;
    if (!leader.isConfirmed && !(await this.commits(leader.address))) {
      doubted.add(leader.address);
      return false;
    }
    this.former.add(address);
    this.named = leader.address;
    return true;
  }

  /** Whether the node was in doubt already; from now on it is. */
  doubt(address: string): boolean {
    const isDoubted = this.doubted.has(address);
    this.doubted.add(address);
    return isDoubted;
  }

  connected(address: string): void {
    this.doubted.clear();
    this.former.delete(address);
  }

  /** First without the former leaders: each of them might hold up the result for a second. */
  private async find(): Promise<NamedLeader | undefined> {
    const { servers, doubted, former } = this;
    const others =
      former.size === 0
        ? undefined
        : await findLeader(servers, { doubted, without: former }).catch(() => undefined);
    return others ?? findLeader(servers, { doubted });
  }

  private async commits(address: string): Promise<boolean> {
    const node = new Node(address, this.servers.clientOf(address));
    try {
      await commitProof(node, Math.min(proofMs, this.deadlineMs));
      return true;
    } catch {
      return false;
    } finally {
      node.leave('the proof is complete');
    }
  }
}
