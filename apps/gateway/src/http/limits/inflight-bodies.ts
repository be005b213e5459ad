import type { IncomingMessage } from 'node:http';
import { DomainError } from '@refledger/contracts';
import type { Metrics } from '@refledger/platform';

/** The memory that a chunk takes beyond its bytes: a client can send its body byte by byte. */
const pieceCost = 512;

/**
 * Reads bodies, and bounds the memory of all bodies in flight: each is small, but there may be one
 * connection per file descriptor. Beyond the bound, the body that has been in flight for the
 * longest time is rejected with 503 `unavailable`, so that slow clients do not block fast ones.
 */
export class InflightBodies {
  /** The bodies in flight, in the order in which they began. */
  private readonly coming = new Set<Body>();
  private held = 0;

  constructor(
    private readonly metrics: Pick<Metrics, 'requestsRejected'>,
    private readonly maxBodyBytes: number,
    /** The most memory, in bytes, for all bodies in flight. */
    private readonly total = 64 * 1024 * 1024,
  ) {}

  read(message: IncomingMessage, done: Done): void {
    const pieces: Buffer[] = [];
    let length = 0;
    const end = (error: Error | null, whole?: Buffer): void => {
      message.off('data', take).off('end', complete).off('error', end);
      this.coming.delete(body);
      this.held -= body.held;
      done(error, whole);
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > this.maxBodyBytes)
        return end(
          new DomainError(
            'payload_too_large',
            'The body is larger than MAX_BODY_BYTES. Send a smaller body.',
          ),
        );
      pieces.push(piece);
      this.hold(body, piece.length + pieceCost);
    };
    const complete = (): void => end(null, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    const body: Body = { held: 0, end };
    message.on('data', take).on('end', complete).on('error', end);
  }

  private hold(body: Body, bytes: number): void {
    if (body.held === 0) this.coming.add(body);
    body.held += bytes;
    this.held += bytes;
    for (const oldest of this.coming) {
      if (this.held <= this.total) return;
      this.metrics.requestsRejected.inc({ kind: 'write' });
      oldest.end(
        new DomainError(
          'unavailable',
          'Too many request bodies are in flight; this upload was the slowest and was rejected unprocessed. Retry later.',
        ),
      );
    }
  }
}

interface Body {
  held: number;
  readonly end: Done;
}

type Done = (error: Error | null, whole?: Buffer) => void;
