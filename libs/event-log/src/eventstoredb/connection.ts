import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@refledger/contracts';
import { EventLogError, isEventLogError } from '../event-log-error.js';
import { asEventLogError, isNodeLost, isNotLeader, leaderNamedIn } from './client-errors.js';
import { commitProof } from './commit-proof.js';
import { readConnectionString, type Servers } from './connection-string.js';
import { findLeader } from './find-leader.js';
import { lastCommit } from './last-commit.js';
import { watchLeader } from './leader-watch.js';
import type { NamedLeader } from './leader-vote.js';
import { Node } from './node.js';

/** How long the nodes of a cluster are asked again and again for one that leads. */
const searchMs = 1_000;
const searchPauseMs = 100;

/** How soon a node of a cluster must show how far it has come; there are others. */
const checkMs = 2_000;

/** How often a call goes after a leader that is another node. */
const maxAttempts = 5;
const attemptPauseMs = 100;

/**
 * The way to the node that leads. It keeps the highest position that this process has seen: a node
 * that has not come so far was held still, or is cut off from its cluster, and is not believed.
 */
export class Connection {
  private readonly servers: Servers;
  private current: Promise<Node> | undefined;
  /** The node that `current` has come to. */
  private active: Node | undefined;
  private named: string | undefined;
  private seen = -1n;
  private checking: Promise<void> | undefined;
  private doubting: Promise<void> | undefined;
  private isClosed = false;
  /** Nodes that were behind while they took themselves for leaders. */
  private readonly doubted = new Set<string>();

  /** Connects with the first call. Throws `unusable` for a connection string that can't be used. */
  constructor(
    url: string,
    private readonly deadlineMs: number,
  ) {
    this.servers = readConnectionString(url);
  }

  /** The hosts of the connection string. */
  get hosts(): string {
    return this.servers.hosts;
  }

  /** The node that leads, which lacks nothing that this process has seen. Throws `unavailable`. */
  async node(): Promise<Node> {
    const node = await (this.current ??= this.search());
    if (node.has < this.seen) {
      await (this.checking ??= this.recheck(node).finally(() => (this.checking = undefined)));
    }
    return node;
  }

  /** Asks the leader; when it is another node by then, asks that one. */
  async ofLeader<T>(ask: (node: Node) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const node = await this.node();
      try {
        return await ask(node);
      } catch (error) {
        this.failed(node, error);
        if (!isNotLeader(error) || attempt === maxAttempts) throw error;
        await sleep(attemptPauseMs);
      }
    }
  }

  /** This node has an event of Refledger's at this commit position. */
  saw(node: Node, commit: bigint): void {
    if (commit > node.has) node.has = commit;
    if (commit > this.seen) this.seen = commit;
  }

  /** A checkpoint names this position, so some node had it. */
  given(position: Position): void {
    const commit = BigInt(position);
    if (commit > this.seen) this.seen = commit;
  }

  /**
   * Throws `unavailable` unless this node commits an append. Whatever was committed before, it has
   * then. When that is less than this process has seen, then the log itself has lost events.
   */
  async prove(node: Node): Promise<void> {
    try {
      await commitProof(node, this.deadlineMs);
      this.saw(node, await lastCommit(node, this.deadlineMs));
      this.seen = node.has;
    } catch (error) {
      this.failed(node, error);
      void this.doubt(node);
      throw asEventLogError(error, this.hosts);
    }
  }

  /** A call to this node ended so. When that says that the node is lost, another is looked for. */
  failed(node: Node, error: unknown): void {
    if (node.left.aborted || !isNodeLost(error)) return;
    this.named = leaderNamedIn(error);
    this.leave(node, `the connection to EventStoreDB at ${node.address} is over`);
  }

  /** The node is silent, or can't commit: others are asked whether it still leads. */
  doubt(node: Node): Promise<void> {
    return (this.doubting ??= this.askOthers(node).finally(() => (this.doubting = undefined)));
  }

  close(): void {
    this.isClosed = true;
    this.current?.then(
      (node) => node.leave('this event log was closed'),
      () => undefined,
    );
  }

  private async askOthers(node: Node): Promise<void> {
    if (!this.servers.isCluster || node.left.aborted) return;
    const leader = await findLeader(this.servers, new Set([node.address])).catch(() => undefined);
    if (leader?.isConfirmed !== true || leader.address === node.address) return;
    this.leave(node, `EventStoreDB at ${node.address} does not lead any more`);
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
    const patienceMs = this.servers.isCluster ? Math.min(searchMs, this.deadlineMs) : 0;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.connect(await this.choose());
      } catch (error) {
        const isOver = this.isClosed || performance.now() >= deadline;
        if (isOver || !isEventLogError(error, 'unavailable')) throw error;
        await sleep(searchPauseMs);
      }
    }
  }

  private async choose(): Promise<Omit<NamedLeader, 'isDecided'>> {
    const { named } = this;
    this.named = undefined;
    if (named !== undefined) return { address: named, isConfirmed: true };
    const { servers } = this;
    const [only = ''] = servers.addresses;
    if (!servers.isCluster) return { address: only, isConfirmed: true };
    const leader = await findLeader(servers, this.doubted);
    if (leader !== undefined) return leader;
    const message = `EventStoreDB at ${this.hosts} has no leader now`;
    throw new EventLogError({ kind: 'unavailable' }, message);
  }

  private async connect({ address, isConfirmed }: Omit<NamedLeader, 'isDecided'>): Promise<Node> {
    const node = new Node(address, this.servers.clientOf(address));
    try {
      await this.check(node, isConfirmed);
      this.requireOpen();
    } catch (error) {
      this.named = leaderNamedIn(error);
      node.leave('it can not be used');
      throw asEventLogError(error, this.hosts);
    }
    this.doubted.clear();
    this.active = node;
    if (this.servers.isCluster) void watchLeader(node, this);
    return node;
  }

  /** A checkpoint names more than this node is known to have. */
  private async recheck(node: Node): Promise<void> {
    try {
      await this.check(node, false);
    } catch (error) {
      this.leave(node, `EventStoreDB at ${node.address} lacks events`);
      throw asEventLogError(error, this.hosts);
    }
  }

  /** A leader by its own word only that is behind gets one more chance after others were asked. */
  private async check(node: Node, isConfirmed: boolean): Promise<void> {
    const patienceMs = this.servers.isCluster
      ? Math.min(checkMs, this.deadlineMs)
      : this.deadlineMs;
    const last = await lastCommit(node, patienceMs);
    if (last > node.has) node.has = last;
    if (last >= this.seen) return;
    if (isConfirmed || this.doubted.has(node.address)) return this.prove(node);
    this.doubted.add(node.address);
    const message = `EventStoreDB at ${node.address} lacks events that this process has seen`;
    throw new EventLogError({ kind: 'unavailable' }, message);
  }

  private requireOpen(): void {
    if (!this.isClosed) return;
    throw new EventLogError({ kind: 'unavailable' }, `${this.hosts}: this event log was closed`);
  }
}
