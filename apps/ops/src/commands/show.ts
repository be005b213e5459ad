import type { Command } from 'commander';
import { isObject } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { fieldsOf } from '../format/changes.js';
import { eventJson, eventParagraph, streamLabel } from '../format/event-lines.js';
import { withPersonalValues } from '../personal/personal-values.js';
import { viewEvent } from '../personal/view-event.js';
import type { Ops, RunWith } from './ops.js';
import { subjectOf, type Subject } from '../subject.js';
import { withOpen } from '../with-open.js';

/** Adds `ops show` to the program. */
export const addShow = (program: Command, runWith: RunWith): void => {
  program
    .command('show')
    .description(
      'Shows the history of one record: every event, with its time, its actor and its changes.',
    )
    .argument('<id>', "an id, a processor's name, or a stream's name")
    .option('--account <id>', 'the account that the program belongs to')
    .option('--json', 'print one line of JSON per event')
    .option('--personal', 'show personal data, which needs the key store and SECRETS_KEY')
    .addHelpText('after', examples)
    .action(runWith(show));
};

const examples = `
Secrets and personal data are not shown: [sealed], [hash] and [personal] stand for them. With --personal, personal data is
shown, and [erased] for an affiliate that was erased.

Examples:
  $ ops show conv_…                           a conversion; or an adjustment (adj_…)
  $ ops show aff_…                            an affiliate; or an account (acct_…)
  $ ops show prog_spring --account acct_…     program ids are unique only within an account
  $ ops show whk_…                            a webhook endpoint; or an API key (key_…)
  $ ops show webhooks-acct_…                  an account's endpoints; or its keys (keys-acct_…)
  $ ops show bal_…                            a balance, over all its chapters
  $ ops show projector                        the decisions for a processor`;

interface ShowOptions {
  readonly account?: string;
  readonly json?: boolean;
  readonly personal?: boolean;
}

const show = async (
  { console, engines }: Ops,
  id: string,
  { account, json = false, personal: isAsked = false }: ShowOptions,
): Promise<ExitCode> => {
  const subject = subjectOf(id, account);
  return withOpen(engines.openLog(), (log) =>
    withPersonalValues(engines, { log, isAsked }, async (personal) => {
      const earlier = new Map<unknown, unknown>();
      let stream: string | undefined;
      for await (const event of eventsAbout(log, subject)) {
        const record = recordOf(event);
        const view = personal && (await viewEvent(event, log, personal));
        if (json) await console.print(eventJson(event, view));
        else
          await console.print(
            `${event.stream === stream ? '' : `${event.stream}\n\n`}${eventParagraph(event, { earlier: earlier.get(record), view })}\n`,
          );
        earlier.set(record, fieldsOf(event) ?? earlier.get(record));
        stream = event.stream;
      }
      if (stream === undefined) {
        console.report(`ops: ${nothingFound(id, subject)}`);
        return exitCodes.failure;
      }
      for (const other of subject.also) console.report(`see also: ops show ${streamLabel(other)}`);
      return exitCodes.success;
    }),
  );
};

const nothingFound = (id: string, { account }: Subject): string =>
  account === undefined
    ? `the log has no events for ${id}. Check the id, and --data-dir or EVENT_LOG_URL.`
    : `the log has no events for ${id} in ${account}. Check the id, --account, and --data-dir or EVENT_LOG_URL.`;

async function* eventsAbout(log: EventLog, subject: Subject): AsyncGenerator<LoggedEvent> {
  if (subject.streams === undefined) {
    for await (const { events } of log.readAll({ prefix: subject.prefix }))
      yield* events.filter((event) => subject.matches(event));
    return;
  }
  for (const stream of subject.streams()) {
    let isThere = false;
    for await (const events of log.readStream(stream)) {
      isThere = true;
      yield* events;
    }
    if (!isThere) return;
  }
}

/** The endpoint that an event belongs to: all endpoints of an account share a stream. */
const recordOf = ({ data }: LoggedEvent): unknown =>
  isObject(data) ? data['endpoint_id'] : undefined;
