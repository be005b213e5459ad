import { setTimeout as delay } from 'node:timers/promises';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { EncodedAppend } from '../encode-append.js';
import { EventLogError } from '../event-log-error.js';
import { readAnswer, type AppendAnswer } from './append-answer.js';
import { AppendLine } from './append-line.js';
import { appendRequest } from './append-request.js';
import { appendFault, isNotLeader } from './client-errors.js';
import type { Connection } from './connect.js';

/** How often an append goes after a leader that is another node, and how long it waits before. */
const leaderTries = 5;
const leaderPauseMs = 100;

/** Appends pipelined over one batch stream at a time, in the order in which they are asked for. */
export class Appender {
  private line: Promise<AppendLine> | undefined;
  private closed = false;
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly connection: Connection,
    private readonly deadlineMs: number,
  ) {}

  /** Throws an `EventLogError`: `unavailable` when nothing of it has left this process. */
  append(append: EncodedAppend): Promise<AppendAnswer> {
    const { hosts } = this.connection;
    if (this.closed) return Promise.reject(new EventLogError({ kind: 'unavailable' }, `${hosts}: this event log was closed`));
    const answer = this.toLeader(append).catch((error: unknown) => {
      throw appendFault(error, hosts);
    });
    this.underWay.add(answer);
    const done = (): void => void this.underWay.delete(answer);
    answer.then(done, done);
    return answer;
  }

  /** Takes no more; resolves once all that was taken is answered. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.underWay);
    this.line?.then((line) => line.end(), () => undefined);
  }

  /** A node that does not lead names the one that does, and the client connects to that: the identical append goes there. */
  private async toLeader(append: EncodedAppend): Promise<AppendAnswer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.once(append);
      } catch (error) {
        if (!isNotLeader(error) || tries === leaderTries) throw error;
        await delay(leaderPauseMs);
      }
    }
  }

  private async once(append: EncodedAppend): Promise<AppendAnswer> {
    const line = await this.connected();
    const response = await line.send(appendRequest(append), this.deadlineMs);
    return readAnswer(response, { bytes: append.bytes, hosts: this.connection.hosts });
  }

  /** In the order of asking: each waits as many turns as the others. */
  private async connected(): Promise<AppendLine> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new EventLogError({ kind: 'unavailable' }, `EventStoreDB at ${this.connection.hosts} was not found within ${this.deadlineMs} ms`)), this.deadlineMs);
    });
    try {
      return await Promise.race([(this.line ??= this.open()), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private open(): Promise<AppendLine> {
    const { client } = this.connection;
    // The client's own ways to the server: discovery, credentials, and a new connection, to the leader if need be, after an error.
    const openStream = client['GRPCStreamCreator'](streamsGrpc.StreamsClient, 'batchAppend', (grpc) => grpc.batchAppend(...client['callArguments']({ requiresLeader: true }, { deadline: Infinity })));
    const opening: Promise<AppendLine> = openStream().then((stream) => new AppendLine(stream, () => this.forget(opening)));
    opening.catch(() => this.forget(opening));
    return opening;
  }

  private forget(line: Promise<AppendLine>): void {
    if (this.line === line) this.line = undefined;
  }
}
