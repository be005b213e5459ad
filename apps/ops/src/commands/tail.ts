import { Option, type Command } from 'commander';
import { comparePositions, streamPrefix, type Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { countArgument, positionArgument } from '../arguments.js';
import type { Console } from '../console.js';
import type { Engines } from '../engines/engines.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { eventJson, eventRow, rowHeading } from '../format/event-lines.js';
import type { Ops, RunWith } from '../program.js';
import { subjectOf, type Subject } from '../subject.js';
import { withOpen } from '../with-open.js';

export const addTail = (program: Command, runWith: RunWith): void => {
  program
    .command('tail')
    .description('Shows the last events of the log, and those to come.')
    .option('--type <type...>', 'only events of these types; `conversion` means all of conversion.*')
    .option('--account <id>', 'only events of this account')
    .option('--stream <id or name>', "only events of one record, named as with `show`")
    .addOption(new Option('--from <position>', 'everything from this position on').argParser(positionArgument))
    .addOption(new Option('--last <n>', 'how many of the last events').argParser(countArgument).default(20).conflicts('from'))
    .option('--follow', 'goes on with new events until Ctrl-C')
    .option('--json', 'a line of JSON for each event')
    .addHelpText('after', examples)
    .action(runWith(tail));
};

const examples = `
Secrets are never shown: [sealed], [hash] and [salt] stand for them.

Examples:
  $ ops tail --type conversion.approved --last 5
  $ ops tail --account acct_… --follow
  $ ops tail --from 1234 --json | jq .type
  $ ops tail --last 0 --follow                only what comes from now on`;

interface TailOptions {
  readonly type?: readonly string[];
  readonly account?: string;
  readonly stream?: string;
  readonly from?: Position;
  readonly last: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const tail = async ({ console, engines }: Ops, options: TailOptions): Promise<ExitCode> => {
  const wanted = wantedBy(options);
  return withOpen(engines.openLog(), async (log) => {
    const print = printer(console, options.json === true);
    let through: Position | undefined;
    if (options.from === undefined) {
      const { events, through: end } = await lastOf(log, engines, wanted, options.last);
      for (const event of events) await print(event);
      through = end;
    } else {
      through = engines.before(options.from, 1);
      for await (const batch of log.readAll({ after: through, prefix: wanted.prefix })) {
        for (const event of batch.events.filter(wanted.matches)) await print(event);
        through = batch.through;
      }
    }
    if (options.follow === true) return follow(log, wanted, through, print, console.signal);
    if (print.count > 0) return exitCodes.fine;
    console.say('ops: no event matches');
    return exitCodes.found;
  });
};

type Wanted = Pick<Subject, 'prefix' | 'matches'>;

const wantedBy = ({ type: types, account, stream }: TailOptions): Wanted => {
  const subject = stream === undefined ? undefined : subjectOf(stream, account);
  return {
    prefix: subject?.prefix ?? streamPrefix,
    matches: (event) =>
      (types === undefined || types.some((type) => event.type === type || event.type.startsWith(`${type}.`))) &&
      (account === undefined || event.metadata.account_id === account) &&
      (subject === undefined || subject.matches(event)),
  };
};

/** The last `count` events wanted: looks from nearer the end first, so that a long log costs no more than it must. */
const lastOf = async (log: EventLog, engines: Engines, wanted: Wanted, count: number): Promise<{ events: readonly LoggedEvent[]; through: Position | undefined }> => {
  const head = await log.head();
  if (head === undefined || count === 0) return { events: [], through: head };
  for (let span = count; ; span *= 8) {
    const after = engines.before(head, span);
    let events: LoggedEvent[] = [];
    let through = head;
    for await (const batch of log.readAll({ after, prefix: wanted.prefix })) {
      events = [...events, ...batch.events.filter(wanted.matches)].slice(-count);
      if (comparePositions(batch.through, through) > 0) through = batch.through;
    }
    if (events.length >= count || after === undefined) return { events, through };
  }
};

const follow = async (log: EventLog, wanted: Wanted, after: Position | undefined, print: (event: LoggedEvent) => Promise<void>, signal: AbortSignal): Promise<ExitCode> => {
  // a subscription that waits keeps no process alive
  const alive = setInterval(() => undefined, 60_000);
  try {
    for await (const batch of log.subscribe({ after, prefix: wanted.prefix, signal })) {
      for (const event of batch.events.filter(wanted.matches)) await print(event);
    }
    return exitCodes.fine;
  } finally {
    clearInterval(alive);
  }
};

const printer = (console: Console, json: boolean) => {
  const print = async (event: LoggedEvent): Promise<void> => {
    if (print.count++ === 0 && !json) await console.print(rowHeading(console.width));
    await console.print(json ? eventJson(event) : eventRow(event, console.width));
  };
  print.count = 0;
  return print;
};
