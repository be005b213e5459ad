import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller.js';
import { ApiKeysController } from './api-keys.controller.js';

/** Accounts and API keys. The core module provides the keys: every request needs them. */
@Module({ controllers: [AccountsController, ApiKeysController] })
export class AccountsModule {}
