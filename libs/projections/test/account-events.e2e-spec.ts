import { accountEventsSuite } from './account-events.suite.js';
import { OnSqlite } from './on-sqlite.js';

describe('the events of an account on SQLite', () => {
  const embedded = new OnSqlite();
  accountEventsSuite({ open: () => embedded.openStore(), remove: () => embedded.remove() });
});
