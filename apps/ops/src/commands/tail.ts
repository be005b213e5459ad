import { Option, type Command } from 'commander';
import { comparePositions, streamPrefix, type Position } from '@refledger/contracts';
import type { EventLog, LogBatch, LoggedEvent } from '@refledger/event-log';
import { countArgument, positionArgument } from '../arguments.js';
import type { Console } from '../console.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { eventJson, eventRow, rowHeading } from '../format/event-lines.js';
import type { PersonalView } from '../format/personal-changes.js';
import { withPersonalValues } from '../personal/personal-values.js';
import { viewEvent } from '../personal/view-event.js';
import type { Ops, RunWith } from './ops.js';
import { subjectOf, type Subject } from '../subject.js';
import { withOpen } from '../with-open.js';

/** Adds `ops tail` to the program. */
export const addTail = (program: Command, runWith: RunWith): void => {
  program
    .command('tail')
    .description('Shows the last events of the log, and new ones with --follow.')
    .option(
      '--type <type...>',
      'only events of these types; `conversion` means all of conversion.*',
    )
    .option('--account <id>', 'only events of this account')
    .option('--stream <id or name>', 'only events of one record, named as with `show`')
    .addOption(
      new Option('--from <position>', 'all events from this position on').argParser(
        positionArgument,
      ),
    )
    .addOption(
      new Option('--last <n>', 'how many events to show, counted from the end')
        .argParser(countArgument)
        .default(20)
        .conflicts('from'),
    )
    .option('--follow', 'show new events too, until Ctrl-C')
    .option('--json', 'print one line of JSON per event')
    .option('--personal', 'show personal data, which needs the key store and SECRETS_KEY')
    .addHelpText('after', examples)
    .action(runWith(tail));
};

const examples = `
Secrets and personal data are not shown: [sealed], [hash] and [personal] stand for them. With --personal, personal data is
shown, and [erased] for an affiliate that was erased.

Examples:
  $ ops tail --type conversion.approved --last 5
  $ ops tail --account acct_… --follow
  $ ops tail --from 1234 --json | jq .type
  $ ops tail --last 0 --follow                only new events`;

interface TailOptions {
  readonly type?: readonly string[];
  readonly account?: string;
  readonly stream?: string;
  readonly from?: Position;
  readonly last: number;
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly personal?: boolean;
}

const tail = async ({ console, engines }: Ops, options: TailOptions): Promise<ExitCode> => {
  const wanted = filterOf(options);
  return withOpen(engines.openLog(), (log) =>
    withPersonalValues(engines, { log, isAsked: options.personal === true }, async (personal) => {
      const view = personal && ((event: LoggedEvent) => viewEvent(event, log, personal));
      const print = printer(console, { json: options.json === true, view });
      return printWanted(log, wanted, { ...options, console, print });
    }),
  );
};

interface Printing extends TailOptions {
  readonly console: Console;
  readonly print: ReturnType<typeof printer>;
}

const printWanted = async (
  log: EventLog,
  wanted: EventFilter,
  { console, print, ...options }: Printing,
): Promise<ExitCode> => {
  let through: Position | undefined;
  for await (const batch of options.from === undefined
    ? lastOf(log, wanted, options.last)
    : allFrom(log, wanted, options.from)) {
    for (const event of batch.events.filter(wanted.matches)) await print(event);
    through = batch.through;
  }
  if (options.follow === true) {
    const { signal } = console;
    const toCome = log.subscribe({ after: through, prefix: wanted.prefix, signal });
    return follow(toCome, wanted, print);
  }
  if (print.count > 0) return exitCodes.success;
  console.report('ops: no event matches. Check the filters.');
  return exitCodes.failure;
};

type EventFilter = Pick<Subject, 'prefix' | 'matches'>;

const filterOf = ({ type: types, account, stream, from }: TailOptions): EventFilter => {
  const subject = stream === undefined ? undefined : subjectOf(stream, account);
  return {
    prefix: subject?.prefix ?? streamPrefix,
    matches: (event) =>
      (from === undefined || comparePositions(event.position, from) >= 0) &&
      (types === undefined ||
        types.some((type) => event.type === type || event.type.startsWith(`${type}.`))) &&
      (account === undefined || event.metadata.account_id === account) &&
      (subject === undefined || subject.matches(event)),
  };
};

/** The last `count` events that match. */
async function* lastOf(
  log: EventLog,
  wanted: EventFilter,
  count: number,
): AsyncGenerator<LogBatch> {
  const head = await log.head();
  if (head === undefined) return;
  const found = count === 0 ? [] : await matchingBackwards(log, wanted, count);
  // More events may have arrived since the head was read.
  yield {
    events: found,
    through: [head, ...found.map(({ position }) => position)].sort(comparePositions).at(-1) ?? head,
  };
}

const matchingBackwards = async (
  log: EventLog,
  wanted: EventFilter,
  count: number,
): Promise<readonly LoggedEvent[]> => {
  const found: LoggedEvent[] = [];
  for await (const batch of log.readBackwards({ prefix: wanted.prefix })) {
    found.push(...batch.filter(wanted.matches));
    if (found.length >= count) break;
  }
  return found.slice(0, count).reverse();
};

/**
 * Everything from a position on. There may be no event at that position; since reading after a
 * position requires one, the whole log is then read and filtered.
 */
async function* allFrom(
  log: EventLog,
  { prefix }: EventFilter,
  from: Position,
): AsyncGenerator<LogBatch> {
  const first = await log.eventAt(from);
  if (first !== undefined)
    yield { events: first.stream.startsWith(prefix) ? [first] : [], through: first.position };
  yield* log.readAll({ after: first?.position, prefix });
}

const follow = async (
  batches: AsyncIterable<LogBatch>,
  wanted: EventFilter,
  print: (event: LoggedEvent) => Promise<void>,
): Promise<ExitCode> => {
  // A waiting subscription does not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    for await (const { events } of batches) {
      for (const event of events.filter(wanted.matches)) await print(event);
    }
    return exitCodes.success;
  } finally {
    clearInterval(alive);
  }
};

interface Printed {
  readonly json: boolean;
  /** Opens the personal values of an event, if they were asked for. */
  readonly view: ((event: LoggedEvent) => Promise<PersonalView | undefined>) | undefined;
}

const printer = (console: Console, { json, view }: Printed) => {
  const print = async (event: LoggedEvent): Promise<void> => {
    if (print.count++ === 0 && !json) await console.print(rowHeading(console.width));
    const personal = await view?.(event);
    await console.print(
      json ? eventJson(event, personal) : eventRow(event, console.width, personal),
    );
  };
  print.count = 0;
  return print;
};
