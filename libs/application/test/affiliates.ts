import { randomBytes } from 'node:crypto';
import {
  streams,
  type AffiliateId,
  type AffiliateRecord,
  type PayoutId,
  type UpdateAffiliate,
  type UpdateProgram,
} from '@refledger/contracts';
import {
  affiliateDecider,
  affiliateRecord,
  firstAccountId,
  programDecider,
  type SentAffiliate,
} from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { KeyRow, KeyStore } from '@refledger/key-store';
import { Keyring, PersonalData } from '@refledger/personal-data';
import { openSecretBox } from '@refledger/sealing';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { createAccount } from '../src/accounts/create-account.js';
import { AffiliateCommands } from '../src/affiliates/affiliate-commands.js';
import { newContext } from '../src/command-context.js';
import { Erasures } from '../src/affiliates/erasures.js';
import { CommandHandler } from '../src/command-handler.js';

export const program_id = 'prog_spring';
const context = () => newContext({ accountId: firstAccountId, actor: 'test', requestId: 'r' });

interface Gateway {
  readonly on?: EventLog | undefined;
  readonly programAutoRegister?: boolean | undefined;
}

interface Erasing {
  readonly on?: EventLog;
  readonly keys?: Pick<KeyStore, 'destroy' | 'getMany'>;
  readonly open?: readonly PayoutId[];
}

/** An account, whose affiliates have real keys in memory. Each call is made by another gateway. */
export class Affiliates {
  readonly keys: KeyStore = new SimulatedEngines(systemClock).openKeys('keys', { create: true });
  readonly warnings: string[] = [];
  private readonly box = openSecretBox([randomBytes(32)]);

  constructor(readonly log: EventLog) {}

  get keyring(): Keyring {
    return new Keyring(this.keys, this.box);
  }

  createAccount(on = this.log) {
    return createAccount(
      { commands: new CommandHandler(on), keyring: this.keyring },
      context(),
      'Shop',
    );
  }

  create(
    affiliate_id: AffiliateId,
    email: string,
    { on, programAutoRegister, ...sent }: Partial<SentAffiliate> & Gateway = {},
  ) {
    return this.commands({ on, programAutoRegister }).run({
      context: context(),
      command: {
        type: 'create',
        affiliate_id,
        email,
        name: 'Ada',
        program_id,
        metadata: {},
        ...sent,
      },
    });
  }

  update(affiliate_id: AffiliateId, patch: UpdateAffiliate, on = this.log) {
    return this.commands({ on }).run({
      context: context(),
      command: { type: 'update', affiliate_id, patch },
    });
  }

  remove(affiliate_id: AffiliateId, on = this.log) {
    return new CommandHandler(on).run({
      stream: streams.affiliate(affiliate_id),
      decider: affiliateDecider,
      context: context(),
      command: { type: 'delete', affiliate_id },
    });
  }

  /** `open`: the affiliate's payouts that have not ended. */
  erase(affiliate_id: AffiliateId, { on = this.log, keys = this.keys, open = [] }: Erasing = {}) {
    const erasures = new Erasures({
      commands: new CommandHandler(on),
      log: on,
      keys,
      openPayouts: { of: (_account, _id, limit) => Promise.resolve(open.slice(0, limit)) },
      logger: { warn: (_, message) => void this.warnings.push(message) },
    });
    return erasures.erase({ affiliate_id, context: context(), precondition: () => undefined });
  }

  async changeProgram(patch: UpdateProgram): Promise<void> {
    await new CommandHandler(this.log).run({
      stream: streams.program(firstAccountId, program_id),
      decider: programDecider,
      context: context(),
      command: { type: 'update', program_id, patch },
    });
  }

  load(id: AffiliateId) {
    return new CommandHandler(this.log).load(affiliateDecider, streams.affiliate(id));
  }

  /** The affiliate as the API shows it; undefined if there is none. */
  async shown(id: AffiliateId): Promise<AffiliateRecord | undefined> {
    const record = affiliateRecord((await this.load(id)).state);
    const [shown] = await this.personalData.openAffiliates(record === undefined ? [] : [record]);
    return shown;
  }

  async keyRows(): Promise<readonly KeyRow[]> {
    const rows: KeyRow[] = [];
    for await (const page of this.keys.scan()) rows.push(...page);
    return rows;
  }

  private get personalData(): PersonalData {
    return new PersonalData(this.keys, this.box);
  }

  private commands({ on = this.log, programAutoRegister = true }: Gateway): AffiliateCommands {
    return new AffiliateCommands({
      commands: new CommandHandler(on),
      personalData: this.personalData,
      keyring: this.keyring,
      programAutoRegister,
    });
  }
}
