import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@refledger/contracts';
import { isEventLogError, unavailable } from '../event-log-error.js';
import { asEventLogError, isNodeLost, isNotLeader, leaderNamedIn } from './client-errors.js';
import { commitProof } from './leader/commit-proof.js';
import { readConnectionString, type Servers } from './connection-string.js';
import { LeaderChoice, type ChosenLeader } from './leader/leader-choice.js';
import { watchLeader } from './leader/leader-watch.js';
import { Node } from './node.js';
import { lastCommit } from './reading/last-event.js';

/** How long the nodes of a cluster are asked repeatedly for the leader. */
const searchMs = 1_000;
const searchPauseMs = 100;

/** How quickly a node of a cluster must show how far it has got; other nodes can serve instead. */
const checkMs = 2_000;

/** How many attempts a call gets when another node turns out to lead. */
const maxAttempts = 5;
const attemptPauseMs = 100;

/**
 * The connection to the leader. It keeps the highest position that this process has seen. A node
 * that has not reached it was suspended or is cut off from its cluster, and must first prove that
 * it leads.
 */
export class Connection {
  private readonly servers: Servers;
  private current: Promise<Node> | undefined;
  /** The node that `current` resolved to. */
  private active: Node | undefined;
  private seen = -1n;
  private checking: Promise<void> | undefined;
  private doubting: Promise<void> | undefined;
  private isClosed = false;
  private readonly choice: LeaderChoice;

  /** Connects on the first call. Throws `unusable` for a connection string that can't be used. */
  constructor(
    url: string,
    private readonly deadlineMs: number,
  ) {
    this.servers = readConnectionString(url);
    this.choice = new LeaderChoice(this.servers, deadlineMs);
  }

  get hosts(): string {
    return this.servers.hosts;
  }

  /**
   * The leader, which has every event that this process has seen, unless the log itself has lost
   * events. Throws `unavailable`.
   */
  async node(): Promise<Node> {
    const node = await (this.current ??= this.search());
    if (node.highestKnown < this.seen) {
      await (this.checking ??= this.recheck(node).finally(() => (this.checking = undefined)));
    }
    return node;
  }

  /** Sends a call to the leader, and again if another node has taken over in the meantime. */
  async withLeader<T>(work: (node: Node) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const node = await this.node();
      try {
        return await work(node);
      } catch (error) {
        await this.beforeRetry(node, error, attempt);
      }
    }
  }

  /**
   * Handles the error of a call to this node, and resolves when the call should be sent again
   * because another node has taken over in the meantime.
   */
  async beforeRetry(node: Node, error: unknown, attempt: number): Promise<void> {
    this.failed(node, error);
    if (!isNotLeader(error) || attempt === maxAttempts) throw error;
    await sleep(attemptPauseMs);
  }

  /** Records that this node has one of Refledger's events at this commit position. */
  recordCommit(node: Node, commit: bigint): void {
    if (commit > node.highestKnown) node.highestKnown = commit;
    if (commit > this.seen) this.seen = commit;
  }

  /** Records a position from a checkpoint: some node had it. */
  recordPosition(position: Position): void {
    const commit = BigInt(position);
    if (commit > this.seen) this.seen = commit;
  }

  /**
   * Throws `unavailable` unless this node commits an append. A node that commits has every earlier
   * commit. If it still has less than this process has seen, the log itself has lost events, and
   * the highest position seen is lowered.
   */
  async prove(node: Node): Promise<void> {
    try {
      await commitProof(node, this.deadlineMs);
      this.recordCommit(node, await lastCommit(node, this.deadlineMs));
      this.seen = node.highestKnown;
    } catch (error) {
      this.failed(node, error);
      void this.doubt(node);
      throw asEventLogError(error, this.hosts);
    }
  }

  /** Throws `unavailable` unless the leader is found and commits an append. */
  async proveLeader(): Promise<void> {
    await this.prove(await this.node());
  }

  /**
   * Handles the error of a call to this node. If the node is lost, the next call looks for another
   * one.
   */
  failed(node: Node, error: unknown): void {
    if (node.left.aborted || !isNodeLost(error)) return;
    this.choice.named = leaderNamedIn(error);
    this.leave(node, `the connection to EventStoreDB at ${node.address} ended`);
  }

  /**
   * Asks the other nodes whether this node, which is silent or can't commit, still leads, and
   * leaves it if it does not.
   */
  doubt(node: Node): Promise<void> {
    return (this.doubting ??= this.queryOtherNodes(node).finally(
      () => (this.doubting = undefined),
    ));
  }

  close(): void {
    this.isClosed = true;
    this.current?.then(
      (node) => node.leave('this event log is closed'),
      () => undefined,
    );
  }

  private async queryOtherNodes(node: Node): Promise<void> {
    if (node.left.aborted || !(await this.choice.isReplaced(node.address))) return;
    this.leave(node, `EventStoreDB at ${node.address} no longer leads`);
  }

  private leave(node: Node, why: string): void {
    node.leave(why);
    if (this.active !== node) return;
    this.active = this.current = undefined;
  }

  private search(): Promise<Node> {
    const search = this.searchInTime();
    search.catch(() => {
      if (this.current === search) this.current = undefined;
    });
    return search;
  }

  private async searchInTime(): Promise<Node> {
    const timeoutMs = this.servers.isCluster ? Math.min(searchMs, this.deadlineMs) : 0;
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await this.connect(await this.choice.next());
      } catch (error) {
        const isOver = this.isClosed || performance.now() >= deadline;
        if (isOver || !isEventLogError(error, 'unavailable')) throw error;
        await sleep(searchPauseMs);
      }
    }
  }

  private async connect({ address, isConfirmed }: ChosenLeader): Promise<Node> {
    const node = new Node(address, this.servers.clientOf(address));
    try {
      await this.check(node, isConfirmed);
      if (this.isClosed) throw unavailable(`${this.hosts}: this event log is closed`);
    } catch (error) {
      this.choice.named = leaderNamedIn(error);
      node.leave('the node is not usable');
      throw asEventLogError(error, this.hosts);
    }
    this.choice.connected(address);
    this.active = node;
    if (this.servers.isCluster) void watchLeader(node, this);
    return node;
  }

  /**
   * Checks a node again after this process has seen a position beyond the node's last known one.
   */
  private async recheck(node: Node): Promise<void> {
    try {
      await this.check(node, false);
    } catch (error) {
      this.leave(node, `EventStoreDB at ${node.address} lacks events`);
      throw asEventLogError(error, this.hosts);
    }
  }

  /**
   * Compares the node's last commit with what this process has seen. A node that is behind must
   * prove that it leads; if only the node itself says that it leads, the other nodes are asked
   * first.
   */
  private async check(node: Node, isConfirmed: boolean): Promise<void> {
    const timeoutMs = this.servers.isCluster ? Math.min(checkMs, this.deadlineMs) : this.deadlineMs;
    const last = await lastCommit(node, timeoutMs);
    if (last > node.highestKnown) node.highestKnown = last;
    if (last >= this.seen) return;
    if (isConfirmed || this.choice.doubt(node.address)) return this.prove(node);
    throw unavailable(`EventStoreDB at ${node.address} lacks events that this process has seen`);
  }
}
