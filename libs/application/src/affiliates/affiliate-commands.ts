import {
  DomainError,
  streams,
  type AffiliateEvent,
  type AffiliateHashes,
  type AffiliateId,
  type AffiliateValues,
  type ProgramId,
} from '@refledger/contracts';
import {
  affiliateDecider,
  affiliateErased,
  changesHashes,
  decideAffiliate,
  programDecider,
  requireActiveProgram,
  sealedEvents,
  type AffiliateCommand,
  type AffiliateState,
  type OpenAffiliateEvent,
  type ProgramState,
  type ValuesCommand,
} from '@refledger/domain';
import type { LoadedStream } from '@refledger/event-log';
import {
  emailHashOf,
  externalIdHashOf,
  sealValues,
  type Keyring,
  type PersonalData,
} from '@refledger/personal-data';
import type { PersonalKey } from '@refledger/sealing';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { claimStream, EmailClaims, type FreeEmail, type WantedEmail } from './email-claims.js';

type Creation = Extract<ValuesCommand, { type: 'create' }>;

/** One command, its context, and a check on the loaded affiliate before the command is decided. */
export interface AffiliateRun {
  readonly command: Exclude<ValuesCommand, Creation> | Omit<Creation, 'approval'>;
  readonly context: AccountContext;
  readonly precondition?: (loaded: LoadedStream<AffiliateState>) => void;
}

export interface AffiliateCommandsParts {
  readonly commands: CommandHandler;
  readonly personalData: PersonalData;
  readonly keyring: Pick<Keyring, 'ofAccount' | 'createForAffiliate'>;
  /** Whether the first affiliate of an unknown program registers it. */
  readonly programAutoRegister: boolean;
}

/** The state that a command is decided on, and the time at which it is recorded. */
interface DecisionInput {
  readonly state: AffiliateState;
  readonly context: AccountContext;
  readonly recordedAt: string;
}

/** The events that a command records. */
interface SealedDecision {
  readonly events: readonly AffiliateEvent[];
  /** The email that they set; undefined if they set none. */
  readonly email?: FreeEmail;
}

/**
 * Runs the commands that create and change affiliates: opens the personal values, decides, and
 * seals them again. Commands that set an email go through a claim; all others append directly.
 */
export class AffiliateCommands {
  private readonly claims: EmailClaims;

  constructor(private readonly parts: AffiliateCommandsParts) {
    this.claims = new EmailClaims(parts.commands, parts.personalData);
  }

  run({ command, context, precondition }: AffiliateRun) {
    const { commands } = this.parts;
    const { affiliate_id: id } = command;
    const stream = streams.affiliate(id);
    // the email that the latest attempt needs
    let email: FreeEmail | undefined;
    return commands.run<AffiliateCommand, AffiliateState, AffiliateEvent>({
      stream,
      decider: affiliateDecider,
      context,
      precondition,
      command: async (state, recordedAt) => {
        const decided = await this.decide(command, { state, context, recordedAt });
        email = decided?.email;
        return decided && { type: 'record', events: decided.events };
      },
      ...(mayNameEmail(command) && {
        appender: {
          append: ({ newEvents, loaded: { revision }, attempt }) =>
            email === undefined
              ? commands.appendAt(stream, newEvents, revision)
              : this.claims.append(email, newEvents, { context, attempt }),
          maxAttempts: 20,
          recordName: `Affiliate ${id}`,
        },
      }),
    });
  }

  /**
   * Undefined when the command must decide again: also when the affiliate was erased, which the
   * key store may show before the loaded state does.
   */
  private async decide(
    command: AffiliateRun['command'],
    on: DecisionInput,
  ): Promise<SealedDecision | undefined> {
    const asked = command.type === 'create' ? await this.withApproval(command, on) : command;
    if (asked === undefined) return undefined;
    const opened = await this.parts.personalData.openAffiliate(on.state);
    if (opened === undefined) return undefined;
    const { affiliate, key } = opened;
    const decided = decideAffiliate(asked, affiliate);
    const last = decided.at(-1);
    if (last === undefined) return { events: [] };
    const hashes = await this.hashesAfter(decided, last.data, on);
    const email = wantedEmail(asked, last.data, on.state, hashes);
    const free = setsEmail(decided) ? await this.claims.judged(email) : null;
    if (free === undefined) return undefined;
    // only now, so that a refused command leaves no key
    const sealing = key ?? (await this.newKey(email, on));
    if (sealing === undefined) return this.requireStream(asked.affiliate_id);
    const seal = (values: AffiliateValues): string => sealValues(sealing, values);
    return {
      events: sealedEvents(decided, on.state, { seal, hashes }),
      ...(free !== null && { email: free }),
    };
  }

  /**
   * The key store says that a new affiliate was erased. Throws `affiliate_erased` if the log does not
   * have it either: it was restored to before the affiliate existed. Otherwise the command decides
   * again.
   */
  private async requireStream(id: AffiliateId): Promise<undefined> {
    const { state } = await this.parts.commands.load(affiliateDecider, streams.affiliate(id));
    if (state.kind === 'none') throw affiliateErased(id);
    return undefined;
  }

  /** Makes the key of a new affiliate. Undefined if it was created and erased meanwhile. */
  private newKey(
    email: WantedEmail,
    { context: { accountId }, recordedAt: at }: DecisionInput,
  ): Promise<PersonalKey | undefined> {
    const { affiliateId } = email;
    const claim = claimStream(email);
    return this.parts.keyring.createForAffiliate({ accountId, affiliateId, claim, at });
  }

  /** What finds the affiliate after these events. Takes a key only if that changes. */
  private async hashesAfter(
    decided: readonly OpenAffiliateEvent[],
    { after: { email, external_id } }: OpenAffiliateEvent['data'],
    { state, context }: DecisionInput,
  ): Promise<AffiliateHashes> {
    if ('hashes' in state && !changesHashes(decided)) return state.hashes;
    const keys = await this.parts.keyring.ofAccount(context.accountId);
    return {
      email: emailHashOf(keys, email),
      external_id: external_id === null ? null : externalIdHashOf(keys, external_id),
    };
  }

  /**
   * Adds to a creation what the program says about a new affiliate. A repeated request needs no
   * program. Undefined if an earlier request claimed the email for this affiliate, which now
   * exists. Throws `program_not_active` if the program is archived.
   */
  private async withApproval(
    command: Omit<Creation, 'approval'>,
    on: DecisionInput,
  ): Promise<Creation | undefined> {
    const { affiliate_id, program_id, email } = command;
    if (on.state.kind !== 'none') return { ...command, approval: 'manual' };
    const program = await this.program(program_id, on);
    if (program.record.status === 'archived') {
      const keys = await this.parts.keyring.ofAccount(on.context.accountId);
      const emailHash = emailHashOf(keys, email);
      const holder = await this.claims.holder({ programId: program_id, emailHash });
      if (holder === affiliate_id) return undefined;
    }
    requireActiveProgram(program, 'affiliates');
    return { ...command, approval: program.record.affiliate_approval };
  }

  /**
   * Registers a program with its first affiliate, before the email is claimed. Throws
   * `program_not_found` if it does not exist and PROGRAM_AUTO_REGISTER is off.
   */
  private async program(
    program_id: ProgramId,
    { context, recordedAt }: DecisionInput,
  ): Promise<ExistingProgram> {
    const { commands, programAutoRegister } = this.parts;
    const stream = streams.program(context.accountId, program_id);
    const { state } = programAutoRegister
      ? await commands.run({
          stream,
          decider: programDecider,
          command: { type: 'register', program_id },
          context,
          recordedAt,
        })
      : await commands.load(programDecider, stream);
    if (state.kind === 'none')
      throw new DomainError(
        'program_not_found',
        `Program ${program_id} does not exist, and PROGRAM_AUTO_REGISTER is off. Use the id of a registered program.`,
      );
    return state;
  }
}

type ExistingProgram = Exclude<ProgramState, { kind: 'none' }>;

const mayNameEmail = (command: AffiliateRun['command']): boolean =>
  command.type === 'create' || command.patch.email !== undefined;

/** Whether one of these events sets a new email, even in other letters. */
const setsEmail = (decided: readonly OpenAffiliateEvent[]): boolean =>
  decided.some(
    ({ type, data }) => type === 'affiliate.created' || data.before.email !== data.after.email,
  );

const wantedEmail = (
  asked: ValuesCommand,
  { program_id: programId }: OpenAffiliateEvent['data'],
  state: AffiliateState,
  { email: emailHash }: AffiliateHashes,
): WantedEmail => ({
  programId,
  emailHash,
  affiliateId: asked.affiliate_id,
  sent: asked.type === 'create' ? asked : undefined,
  revision: state.kind === 'none' ? undefined : state.record.revision,
});
