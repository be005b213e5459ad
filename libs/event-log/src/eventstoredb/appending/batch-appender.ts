import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendRequest } from './append-request.js';
import type { Node } from '../node.js';

/**
 * The client's side of one batch stream, as far as `BatchAppender` uses it (a `ClientDuplexStream`
 * of gRPC).
 */
export interface BatchStream {
  write(message: BatchAppendReq): boolean;
  on(event: 'data', listener: (response: BatchAppendResp) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  cancel(): void;
}

/**
 * Sends appends over one batch stream; each is answered on its own. When the stream ends, for
 * whatever reason, only its unanswered appends fail. The client's own batch append also fails those
 * of every other stream in the process, and crashes on a response that comes late
 * (kurrent-io/KurrentDB-Client-NodeJS#523).
 */
export class BatchAppender {
  private readonly waiting = new Map<string, PendingAppend>();
  private over: Error | undefined;

  constructor(
    private readonly stream: BatchStream,
    onEnd: () => void,
  ) {
    const end = (error: Error): void => {
      this.over ??= error;
      onEnd();
      for (const waiting of this.take()) waiting.reject(error);
    };
    stream.on('data', (response) => this.onResponse(response));
    stream.on('error', end);
    stream.on('end', () => end(new Error('the server ended the call')));
  }

  /**
   * Resolves with the server's response. Rejects with the error that ended the stream, or with a
   * `TimeoutError` after `timeoutMs`.
   */
  send({ correlationId, message }: AppendRequest, timeoutMs: number): Promise<BatchAppendResp> {
    return new Promise((resolve, reject) => {
      if (this.over !== undefined) return reject(this.over);
      const timer = setTimeout(() => {
        this.waiting.delete(correlationId);
        reject(new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError'));
      }, timeoutMs);
      this.waiting.set(correlationId, { resolve, reject, timer });
      this.stream.write(message);
    });
  }

  /**
   * Cancels the stream, which fails all unanswered appends. Closing only its sending half would
   * lose responses that are still on their way.
   */
  end(): void {
    this.stream.cancel();
  }

  private onResponse(response: BatchAppendResp): void {
    const correlationId = response.getCorrelationId()?.getString() ?? '';
    const waiting = this.waiting.get(correlationId);
    if (waiting === undefined) return;
    this.waiting.delete(correlationId);
    clearTimeout(waiting.timer);
    waiting.resolve(response);
  }

  private take(): PendingAppend[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { timer } of all) clearTimeout(timer);
    return all;
  }
}

/**
 * Opens a batch appender to a node with the client's own credentials and TLS, but without its
 * discovery. It ends when the connection leaves the node.
 */
export const openBatchAppender = async (
  { client, left }: Node,
  onEnd: () => void,
): Promise<BatchAppender> => {
  const openStream = client['GRPCStreamCreator'](streamsGrpc.StreamsClient, 'batchAppend', (grpc) =>
    grpc.batchAppend(...client['callArguments']({ requiresLeader: true }, { deadline: Infinity })),
  );
  const stream = await openStream();
  const leave = (): void => appender.end();
  const appender = new BatchAppender(stream, () => {
    left.removeEventListener('abort', leave);
    onEnd();
  });
  left.addEventListener('abort', leave);
  if (left.aborted) leave();
  return appender;
};

interface PendingAppend {
  readonly resolve: (response: BatchAppendResp) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}
