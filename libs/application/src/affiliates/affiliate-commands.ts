import {
  DomainError,
  streams,
  type AccountId,
  type AffiliateEvent,
  type Approval,
  type ProgramId,
} from '@refledger/contracts';
import {
  accountDecider,
  affiliateDecider,
  programDecider,
  requireActiveProgram,
  type AffiliateCommand,
  type AffiliateState,
  type ProgramState,
} from '@refledger/domain';
import type { AppendResult, LoadedStream } from '@refledger/event-log';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler, Decision } from '../command-handler.js';
import type { Outcome } from '../outcome.js';
import { EmailClaims } from './email-claims.js';

type Creation = Extract<AffiliateCommand, { type: 'create' }>;

/** One command, its context, and a check on the loaded affiliate before the command is decided. */
export interface AffiliateRun {
  readonly command: Exclude<AffiliateCommand, Creation> | Omit<Creation, 'approval'>;
  readonly context: AccountContext;
  readonly precondition?: (loaded: LoadedStream<AffiliateState>) => void;
}

/** The command that creates an affiliate, and the time at which it is recorded. */
interface CreatedFrom {
  readonly context: AccountContext;
  readonly recordedAt: string;
}

/**
 * Runs commands on affiliates. Those that set an email go through a claim; all others append
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

  run(run: AffiliateRun): Promise<Outcome<AffiliateState, AffiliateEvent>> {
    const { command, context } = run;
    const { affiliate_id: id } = command;
    return this.commands.run({
      ...run,
      command: async (state, recordedAt): Promise<AffiliateCommand | undefined> => {
        if (command.type !== 'create') return command;
        const approval = await this.approval(command, state, { context, recordedAt });
        return approval && { ...command, approval };
      },
      stream: streams.affiliate(id),
      decider: affiliateDecider,
      ...(mayNameEmail(command) && {
        appender: {
          append: (decision) => this.append(run, decision),
          maxAttempts: 20,
          recordName: `Affiliate ${id}`,
        },
      }),
    });
  }

  /** Appends through a claim if an event sets a new email. */
  private async append(
    { command, context }: AffiliateRun,
    { events, newEvents, loaded: { revision }, attempt }: Decision<AffiliateState, AffiliateEvent>,
  ): Promise<AppendResult | undefined> {
    const { affiliate_id: affiliateId } = command;
    const wanted = events.map(newEmail).find((set) => set !== undefined);
    if (wanted === undefined)
      return this.commands.appendAt(streams.affiliate(affiliateId), newEvents, revision);
    const { programId, email } = wanted;
    const salt = await this.salt(context.accountId);
    return this.claims.append({
      events: newEvents,
      affiliateId,
      programId,
      email,
      sent: command.type === 'create' ? command : undefined,
      revision,
      salt,
      context,
      attempt,
    });
  }

  /**
   * Returns what the program says about a new affiliate. A repeated request needs no program.
   * Undefined if an earlier request claimed the email for this affiliate, which now exists. Throws
   * `program_not_active` if the program is archived.
   */
  private async approval(
    { affiliate_id, program_id, email }: Omit<Creation, 'approval'>,
    affiliate: AffiliateState,
    from: CreatedFrom,
  ): Promise<Approval | undefined> {
    if (affiliate.kind !== 'none') return 'manual';
    const program = await this.program(program_id, from);
    if (program.record.status === 'archived') {
      const salt = await this.salt(from.context.accountId);
      const holder = await this.claims.holder({ salt, program_id, email });
      if (holder === affiliate_id) return undefined;
    }
    requireActiveProgram(program, 'affiliates');
    return program.record.affiliate_approval;
  }

  /**
   * Registers a program with its first affiliate, before the email is claimed. Throws
   * `program_not_found` if it does not exist and PROGRAM_AUTO_REGISTER is off.
   */
  private async program(
    program_id: ProgramId,
    { context, recordedAt }: CreatedFrom,
  ): Promise<ExistingProgram> {
    const stream = streams.program(context.accountId, program_id);
    const { state } = this.programAutoRegister
      ? await this.commands.run({
          stream,
          decider: programDecider,
          command: { type: 'register', program_id },
          context,
          recordedAt,
        })
      : await this.commands.load(programDecider, stream);
    if (state.kind === 'none')
      throw new DomainError(
        'program_not_found',
        `Program ${program_id} does not exist, and PROGRAM_AUTO_REGISTER is off. Use the id of a registered program.`,
      );
    return state;
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

type ExistingProgram = Exclude<ProgramState, { kind: 'none' }>;

const mayNameEmail = (command: AffiliateRun['command']): boolean =>
  command.type === 'create' || (command.type === 'update' && command.patch.email !== undefined);

/** The email that an event sets, and its program; undefined when the event does not change it. */
const newEmail = (
  event: AffiliateEvent,
): { readonly programId: ProgramId; readonly email: string } | undefined => {
  if (event.type === 'affiliate.deleted') return undefined;
  const { program_id: programId, after } = event.data;
  return 'before' in event.data && event.data.before.email === after.email
    ? undefined
    : { programId, email: after.email };
};
