import { setTimeout as sleep } from 'node:timers/promises';
import {
  DomainError,
  eventIdOf,
  streams,
  type AccountId,
  type AffiliateEvent,
  type ProgramId,
} from '@refledger/contracts';
import {
  accountDecider,
  affiliateDecider,
  programDecider,
  type AffiliateCommand,
  type AffiliateState,
} from '@refledger/domain';
import {
  encodeEvent,
  outcomeOf,
  type Appended,
  type CommandHandler,
  type Loaded,
  type Outcome,
} from '@refledger/event-log';
import type { AccountContext } from '../http/call.js';
import { EmailClaims, type ClaimedChange } from './email-claims.js';

/** One command, its context, and a check on the loaded affiliate before the command is decided. */
export interface AffiliateRun {
  readonly command: AffiliateCommand;
  readonly context: AccountContext;
  readonly precondition?: (loaded: Loaded<AffiliateState>) => void;
}

/**
 * Runs commands on affiliates. Those that set an e-mail go through a claim; all others append
 * directly.
 */
export class AffiliateCommands {
  private readonly claims: EmailClaims;
  private readonly salts = new Map<AccountId, string>();

  constructor(
    private readonly commands: CommandHandler,
    private readonly programAutoRegister: boolean,
  ) {
    this.claims = new EmailClaims(commands);
  }

  async run(run: AffiliateRun): Promise<Outcome<AffiliateState, AffiliateEvent>> {
    const { command } = run;
    if (!mayNameEmail(command))
      return this.commands.run({
        ...run,
        stream: streams.affiliate(command.affiliate_id),
        decider: affiliateDecider,
      });
    for (let attempt = 0; attempt < maxTries; attempt++) {
      if (attempt > 0) await sleep(Math.random() * Math.min(5 * 2 ** attempt, 200));
      const outcome = await this.tryOnce(run, attempt);
      if (outcome !== undefined) return outcome;
    }
    throw new DomainError(
      'unavailable',
      `Affiliate ${command.affiliate_id} was changed concurrently ${maxTries} times in a row. Retry the request.`,
    );
  }

  /** Loads, decides and appends once. Undefined when the affiliate changed in the meantime. */
  private async tryOnce(
    { command, context, precondition }: AffiliateRun,
    attempt: number,
  ): Promise<Outcome<AffiliateState, AffiliateEvent> | undefined> {
    const stream = streams.affiliate(command.affiliate_id);
    const loaded = await this.commands.load(affiliateDecider, stream);
    precondition?.(loaded);
    const [event] = affiliateDecider.decide(command, loaded.state);
    if (event === undefined) return { ...loaded, events: [] };
    const metadata = this.commands.metadata(context, loaded);
    const email = newEmail(event);
    const appended =
      email === undefined
        ? await this.commands.appendAt(
            stream,
            [encodeEvent(event, eventIdOf(context.commandId, stream, attempt, 0), metadata)],
            loaded.revision,
          )
        : await this.claimAndAppend(command.type, {
            event,
            metadata,
            affiliateId: command.affiliate_id,
            email,
            decidedOn: loaded,
            context,
            attempt,
          });
    return appended && outcomeOf(affiliateDecider, loaded, { events: [event], appended, metadata });
  }

  private async claimAndAppend(
    type: AffiliateCommand['type'],
    change: Omit<ClaimedChange, 'salt' | 'programId'> & Pick<AffiliateRun, 'context'>,
  ): Promise<Appended | undefined> {
    const programId = change.event.data.program_id;
    if (type === 'create') await this.requireProgram(programId, change.context);
    return this.claims.append({
      ...change,
      programId,
      salt: await this.salt(change.context.accountId),
    });
  }

  /**
   * Registers a program with its first affiliate, before the e-mail is claimed. Throws
   * `program_not_found` if the program does not exist and PROGRAM_AUTO_REGISTER is off.
   */
  private async requireProgram(program: ProgramId, context: AccountContext): Promise<void> {
    const stream = streams.program(context.accountId, program);
    if (this.programAutoRegister)
      await this.commands.run({
        stream,
        decider: programDecider,
        command: { type: 'register', program_id: program },
        context,
      });
    else if ((await this.commands.load(programDecider, stream)).state.kind === 'none')
      throw new DomainError(
        'program_not_found',
        `Program ${program} does not exist, and PROGRAM_AUTO_REGISTER is off. Use the id of a registered program.`,
      );
  }

  private async salt(account: AccountId): Promise<string> {
    const known = this.salts.get(account);
    if (known !== undefined) return known;
    const { state } = await this.commands.load(accountDecider, streams.account(account));
    if (state.kind === 'none')
      throw new Error(`the account ${account} has keys but was never created`);
    this.salts.set(account, state.salt);
    return state.salt;
  }
}

const maxTries = 20;

const mayNameEmail = (command: AffiliateCommand): boolean =>
  command.type === 'create' || (command.type === 'update' && command.patch.email !== undefined);

/** The e-mail that an event sets; undefined when the event does not change it. */
const newEmail = (event: AffiliateEvent): string | undefined => {
  if (event.type === 'affiliate.deleted') return undefined;
  const { email } = event.data.after;
  return 'before' in event.data && event.data.before.email === email ? undefined : email;
};
