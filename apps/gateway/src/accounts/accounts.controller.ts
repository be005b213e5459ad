import { Controller } from '@nestjs/common';
import { newId, streams } from '@refledger/contracts';
import { accountDecider, accountRecord } from '@refledger/domain';
import { ApiKeys, CommandHandler, Consistency, createAccount } from '@refledger/application';
import { Keyring } from '@refledger/personal-data';
import { accountsProjection } from '@refledger/projections';
import { ReadModels, requireRecord } from '@refledger/queries';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { valueResponse } from '../http/responses.js';

@Controller()
export class AccountsController {
  constructor(
    private readonly commands: CommandHandler,
    private readonly keyring: Keyring,
    private readonly keys: ApiKeys,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
  ) {}

  @Operation('createAccount')
  async create({ caller, body, context }: Call<'createAccount'>): Promise<ApiResponse> {
    const id = newId('account');
    const own = { ...context, accountId: id };
    // Create the key first: a crash between the two then leaves a key whose account does not exist,
    // never an account without a key.
    const { secret } = await this.keys.create(own, {
      name: 'first key',
      scope: 'admin',
      by: caller.scope,
    });
    const { commands, keyring } = this;
    const outcome = await createAccount({ commands, keyring }, own, body.name);
    this.consistency.wrote(caller.accountId, outcome.position);
    this.consistency.wrote(id, outcome.position);
    return valueResponse(
      { ...requireRecord('account', id, accountRecord(outcome.state)), api_key: secret },
      outcome.position,
      201,
    );
  }

  @Operation('listAccounts')
  list(call: Call<'listAccounts'>): Promise<ApiResponse> {
    return listPage(this.readModels, accountsProjection, call, { filters: [] });
  }

  @Operation('getAccount')
  async get({ caller, minPosition }: Call<'getAccount'>): Promise<ApiResponse> {
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const { state, position } = await this.commands.load(
      accountDecider,
      streams.account(caller.accountId),
    );
    return valueResponse(
      requireRecord('account', caller.accountId, accountRecord(state)),
      position,
    );
  }
}
