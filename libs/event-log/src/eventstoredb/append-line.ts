import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendRequest } from './append-request.js';
import type { Node } from './node.js';

/** The client's side of one batch stream, as far as it is used here (a `ClientDuplexStream` of gRPC). */
export interface BatchStream {
  write(message: BatchAppendReq): boolean;
  on(event: 'data', listener: (response: BatchAppendResp) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  cancel(): void;
}

/**
 * Appends over one batch stream, each answered on its own. When the stream ends, whatever the reason, those that are not answered end with it,
 * and only those: the client's own batch append fails those of every other stream in the process too, and dies of an answer that comes late
 * (kurrent-io/KurrentDB-Client-NodeJS#523).
 */
export class AppendLine {
  private readonly waiting = new Map<string, Waiting>();
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
    stream.on('data', (response) => this.answered(response));
    stream.on('error', end);
    stream.on('end', () => end(new Error('the server ended the call')));
  }

  /** The server's answer. Rejects with what the stream ended with, or with a `TimeoutError` after so long. */
  send({ correlationId, message }: AppendRequest, timeoutMs: number): Promise<BatchAppendResp> {
    return new Promise((resolve, reject) => {
      if (this.over !== undefined) return reject(this.over);
      const timer = setTimeout(() => {
        this.waiting.delete(correlationId);
        reject(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
      }, timeoutMs);
      this.waiting.set(correlationId, { resolve, reject, timer });
      this.stream.write(message);
    });
  }

  /** Ends the stream. Only closing its sending half would lose answers that are still on their way, so nothing may be waiting any more. */
  end(): void {
    this.stream.cancel();
  }

  private answered(response: BatchAppendResp): void {
    const correlationId = response.getCorrelationId()?.getString() ?? '';
    const waiting = this.waiting.get(correlationId);
    if (waiting === undefined) return;
    this.waiting.delete(correlationId);
    clearTimeout(waiting.timer);
    waiting.resolve(response);
  }

  private take(): Waiting[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { timer } of all) clearTimeout(timer);
    return all;
  }
}

/**
 * Opens one to a node. Discovery apart, the client's own way to it is used: credentials and TLS. It
 * ends when the node is left.
 */
export const openAppendLine = async (
  { client, left }: Node,
  onEnd: () => void,
): Promise<AppendLine> => {
  const openStream = client['GRPCStreamCreator'](streamsGrpc.StreamsClient, 'batchAppend', (grpc) =>
    grpc.batchAppend(...client['callArguments']({ requiresLeader: true }, { deadline: Infinity })),
  );
  const stream = await openStream();
  const leave = (): void => line.end();
  const line = new AppendLine(stream, () => {
    left.removeEventListener('abort', leave);
    onEnd();
  });
  left.addEventListener('abort', leave);
  if (left.aborted) leave();
  return line;
};

interface Waiting {
  readonly resolve: (response: BatchAppendResp) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}
