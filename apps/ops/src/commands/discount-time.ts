import type { Command } from 'commander';
import { postableFrom, postingName } from '@refledger/balances';
import type { Position } from '@refledger/contracts';
import {
  readDecisions,
  readLogTimeDiscounts,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { positionArgument } from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { eventParagraph } from '../format/event-lines.js';
import { nextAfter } from '../next-after.js';
import type { Ops, RunWith } from './ops.js';
import { withOpen } from '../with-open.js';

/** Adds `ops discount-time` to the program. */
export const addDiscountTime = (program: Command, runWith: RunWith): void => {
  program
    .command('discount-time')
    .description(
      'Excludes an event from log time: the one at which posting has stopped because a clock was ahead.',
    )
    .argument('<position>', "the event's position, as the service logs it", positionArgument)
    .addHelpText('after', examples)
    .action(runWith(discountTime));
};

const examples = `
First correct the clock that was ahead. The log then records the decision. It cannot be undone: this event and every event
recorded at its time or later, up to the decision, no longer count for the dates of entries or for as_of with a
time. Unlike ops skip, it leaves nothing out: posting continues by itself and posts these events, too. The
projector builds minute_marks again.

Example:
  $ ops discount-time 1234`;

const discountTime = async ({ console, engines }: Ops, position: Position): Promise<ExitCode> => {
  const found = await withOpen(engines.openLog(), (log) => eventIn(log, position));
  if (found === undefined) {
    console.report(
      `ops: the log has no event at position ${position}. Give a position that ops tail shows.`,
    );
    return exitCodes.failure;
  }
  const { event, isDecided } = found;
  await console.print(`${event.stream}\n${eventParagraph(event)}\n`);
  if (!isDecided)
    await withOpen(engines.openLog(), (log) =>
      withOpen(engines.openStore(), (store) => requireStandsAt(event, log, store)),
    );
  const { isNew, served } = await decide(engines, {
    type: 'discount_time',
    processor: postingName,
    event_id: event.id,
    position,
    stream: event.stream,
    revision: event.revision,
    recorded_at: event.metadata.recorded_at,
  });
  await console.print(
    isNew
      ? `excluded from log time: this event, and all events up to now that were recorded at ${event.metadata.recorded_at} or later. Posting continues${served ? '' : ' at its next start'}`
      : 'this event is already excluded from log time',
  );
  return exitCodes.success;
};

const eventIn = async (log: EventLog, position: Position) => {
  const event = await log.eventAt(position);
  if (event === undefined) return undefined;
  const { discounted } = (await readDecisions(log, postingName)).state;
  return { event, isDecided: discounted.has(event.id) };
};

/**
 * Throws `UsageError` unless the time of an event is what stops posting there. What was posted
 * keeps its date, so nothing else may be taken out of log time. An event that is about to become
 * postable is refused, too: posting could pass it before it reads the decision.
 */
const requireStandsAt = async (
  event: LoggedEvent,
  log: EventLog,
  store: ReadStore,
): Promise<void> => {
  const next = await nextOfPosting(log, store);
  if (next?.id !== event.id)
    throw new UsageError(
      `posting has not stopped at this event: ${next === undefined ? 'it has posted everything' : `it continues with position ${next.position}`}. Only the time of the event at which it has stopped can be discounted.`,
    );
  const { skipped } = (await readDecisions(log, postingName)).state;
  const from = postableFrom(event, { skipped, discounts: await readLogTimeDiscounts(log) });
  if (from === undefined || from <= Date.now() + marginMs)
    throw new UsageError(
      `posting has not stopped because of this event's time${from === undefined ? '' : `: by the clock of this machine, it may post the event from ${new Date(from).toISOString()} on`}. ${from === undefined ? 'See the log of the service' : "If it does not continue by itself, correct the ledger's clock"}.`,
    );
};

/** How much longer posting must stay stopped at the event, so that it reads the decision first. */
const marginMs = 60_000;

/** The event that posting handles next; undefined at the end of the log. */
const nextOfPosting = async (log: EventLog, store: ReadStore): Promise<LoggedEvent | undefined> => {
  const builds = (await store.builds(postingName)).filter(({ logId }) => logId === log.id);
  return nextAfter(log, builds.at(-1)?.checkpoint?.position);
};
