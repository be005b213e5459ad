import { DomainError, streams, type AffiliateId } from '@refledger/contracts';
import {
  AffiliateCommands,
  CommandHandler,
  createAccount,
  Erasures,
  newContext,
  withErasures,
} from '@refledger/application';
import { affiliateDecider, firstAccountId } from '@refledger/domain';
import { Keyring, PersonalData } from '@refledger/personal-data';
import { silent } from '../embedded.js';
import { openable, type GatewayEngines } from './gateway-engines.js';
import type { Request } from './requests.js';

/** The parts of a gateway that create, change and erase affiliates. */
export class GatewayProcess {
  private readonly commands: CommandHandler;
  private readonly personalData: PersonalData;
  private readonly keyring: Keyring;

  private constructor(private readonly engines: GatewayEngines) {
    this.commands = new CommandHandler(engines.log);
    this.personalData = new PersonalData(engines.keys, engines.box);
    this.keyring = new Keyring(engines.keys, engines.box);
  }

  static async start({ log, keys, box }: GatewayEngines): Promise<GatewayProcess> {
    return new GatewayProcess({ log, keys: await withErasures(log, keys), box });
  }

  async createAccount(): Promise<void> {
    await createAccount(
      { commands: this.commands, keyring: this.keyring },
      newContext({ ...by, requestId: 'r' }),
      'Shop',
    );
  }

  /** Whether the request was carried out: false if it was refused. Throws any other failure. */
  async isDone(request: Request): Promise<boolean> {
    try {
      await this.carryOut(request);
      return true;
    } catch (error) {
      if (error instanceof DomainError && refusals.includes(error.code)) return false;
      throw error;
    }
  }

  /** How many of these sealed texts open. */
  opened(id: AffiliateId, sealed: readonly string[]): Promise<number> {
    return openable(this.engines, id, sealed);
  }

  private carryOut(request: Request): Promise<unknown> {
    const { id: affiliate_id } = request;
    const context = newContext({ ...by, requestId: 'r' });
    switch (request.type) {
      case 'create': {
        const { email, name } = request;
        const sent = { email, name, program_id: 'prog_spring', metadata: {} } as const;
        return this.affiliates().run({
          context,
          command: { type: 'create', affiliate_id, ...sent },
        });
      }
      case 'change': {
        const command = { type: 'update', affiliate_id, patch: request.patch } as const;
        return this.affiliates().run({ context, command });
      }
      case 'delete':
        return this.commands.run({
          stream: streams.affiliate(affiliate_id),
          decider: affiliateDecider,
          context,
          command: { type: 'delete', affiliate_id },
        });
      case 'erase':
        return this.erasures().erase({ affiliate_id, context, precondition: () => undefined });
    }
  }

  private affiliates(): AffiliateCommands {
    const { commands, personalData, keyring } = this;
    return new AffiliateCommands({ commands, personalData, keyring, programAutoRegister: true });
  }

  private erasures(): Erasures {
    return new Erasures({
      ...this.engines,
      commands: this.commands,
      openPayouts: { of: () => Promise.resolve([]) },
      logger: silent,
    });
  }
}

const by = { accountId: firstAccountId, actor: 'test' } as const;

const refusals = ['affiliate_exists', 'affiliate_erased', 'idempotency_key_reused', 'not_found'];
