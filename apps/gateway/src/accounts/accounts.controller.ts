import { randomBytes } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { newId, streams } from '@refledger/contracts';
import { accountDecider, accountRecord } from '@refledger/domain';
import { CommandHandler } from '@refledger/event-log';
import { accountFromDocument, accountsProjection } from '@refledger/projections';
import { Consistency } from '../consistency.js';
import type { Answer, Call } from '../http/call.js';
import { Operation } from '../http/operation.decorator.js';
import { ReadModels, rewritten } from '../read-models.js';
import { positionHeader, requireRecord } from '../records.js';
import { ApiKeys } from './api-keys.js';

@Controller()
export class AccountsController {
  constructor(
    @Inject(CommandHandler) private readonly commands: CommandHandler,
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Consistency) private readonly consistency: Consistency,
    @Inject(ReadModels) private readonly readModels: ReadModels,
  ) {}

  @Operation('createAccount')
  async create({ caller, body, context }: Call<'createAccount'>): Promise<Answer> {
    const id = newId('account');
    const own = { ...context, accountId: id };
    // Create the key first: a crash between the two then leaves a key whose account does not exist,
    // never an account without a key.
    const { secret } = await this.keys.create(own, {
      name: 'first key',
      scope: 'admin',
      by: caller.scope,
    });
    const outcome = await this.commands.run({
      stream: streams.account(id),
      decider: accountDecider,
      context: own,
      command: {
        type: 'create',
        account_id: id,
        name: body.name,
        salt: randomBytes(16).toString('hex'),
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    this.consistency.wrote(id, outcome.position);
    return {
      status: 201,
      body: { ...requireRecord('account', id, accountRecord(outcome.state)), api_key: secret },
      headers: positionHeader(outcome.position),
    };
  }

  @Operation('listAccounts')
  list(call: Call<'listAccounts'>): Promise<Answer> {
    return this.readModels.list(accountsProjection, call, {
      filters: [],
      recordsJson: rewritten(accountFromDocument),
    });
  }

  @Operation('getAccount')
  async get({ caller, minPosition }: Call<'getAccount'>): Promise<Answer> {
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const { state, position } = await this.commands.load(
      accountDecider,
      streams.account(caller.accountId),
    );
    return {
      status: 200,
      body: requireRecord('account', caller.accountId, accountRecord(state)),
      headers: positionHeader(position),
    };
  }
}
