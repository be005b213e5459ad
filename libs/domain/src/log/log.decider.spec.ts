import { logFormat, type LogEvent } from '@refledger/contracts';
import { given, when } from '../../test/scenario.js';
import { logDecider } from './log.decider.js';

const monday = { position: '9', event_id: 'e9', time: '2026-11-30T01:00:00.000Z' };
const tuesday = { ...monday, time: '2026-12-01T01:00:00.000Z' };
const opened: LogEvent = { type: 'log.opened', data: { log_id: 'l', format: logFormat } };
const restored: LogEvent = { type: 'log.restored', data: monday };

it('records a restored backup once', () => {
  const log = given(logDecider, opened);
  expect(when(logDecider, log, { type: 'restore', backup: monday })).toEqual([restored]);
  const again = given(logDecider, opened, restored);
  expect(when(logDecider, again, { type: 'restore', backup: monday })).toEqual([]);
});

it('records a later backup, even of the same position', () => {
  const log = given(logDecider, opened, restored);
  expect(when(logDecider, log, { type: 'restore', backup: tuesday })).toEqual([
    { type: 'log.restored', data: tuesday },
  ]);
});

it('records its key store once, and never another one', () => {
  const recorded: LogEvent = { type: 'log.key_store_recorded', data: { key_store_id: 'ks_1' } };
  const command = { type: 'record_key_store', key_store_id: 'ks_1' } as const;
  expect(when(logDecider, given(logDecider, opened), command)).toEqual([recorded]);
  for (const key_store_id of ['ks_1', 'ks_2'])
    expect(
      when(logDecider, given(logDecider, opened, recorded), { ...command, key_store_id }),
    ).toEqual([]);
});

it('still knows its key store after it was restored, and its backup after the key store', () => {
  const recorded: LogEvent = { type: 'log.key_store_recorded', data: { key_store_id: 'ks_1' } };
  const both = { restored: monday, keyStoreId: 'ks_1' };
  expect(given(logDecider, opened, recorded, restored)).toEqual(both);
  expect(given(logDecider, opened, restored, recorded)).toEqual(both);
});
