import type { BalanceId, LedgerEnd, Position } from '@refledger/contracts';
import { chainStart } from '@refledger/domain';
import type { LoggedEvent } from '@refledger/event-log';

/** The end of a balance's ledger so far. */
type End = Pick<LedgerEnd, 'count' | 'chain'> & { readonly position: Position };

/** A piece of text is passed on once it has at least this many characters. */
const pieceLength = 32_768;

/**
 * Returns the ledger of a balance as NDJSON, in pieces: a line per chained event with its data as
 * stored, then the end. The events reflect at least `position`.
 */
export async function* ledgerLines(
  balance: BalanceId,
  chained: AsyncIterable<readonly LoggedEvent[]>,
  position: Position,
): AsyncGenerator<string> {
  let end: End = { count: 0, chain: chainStart(balance), position };
  let piece = '';
  for await (const events of chained)
    for (const event of events) {
      piece += lineOf(event);
      end = endAfter(end, event);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
  yield `${piece}${JSON.stringify({ object: 'end', ...end } satisfies LedgerEnd)}\n`;
}

const lineOf = ({ type, data, position, metadata }: LoggedEvent): string =>
  `${JSON.stringify({ type, data, position, recorded_at: metadata.recorded_at })}\n`;

const endAfter = ({ count, position }: End, event: LoggedEvent): End => ({
  count: count + 1,
  chain: chainIn(event),
  position: BigInt(event.position) > BigInt(position) ? event.position : position,
});

/** A decoding boundary: every chained event has a chain. */
const chainIn = ({ data }: LoggedEvent): string => (data as { readonly chain: string }).chain;
