// For tests only: holds a writer between the two appends of a claim, of an e-mail or of a
// customer's first sale. Loaded by NODE_OPTIONS=--import. A request whose X-Request-Id begins with
// `held-` writes its claim and then waits before the append to an affiliate or a conversion that
// the claim names, as long as the file `<FAULTS_HOLD>/<request id>` exists. The request creates
// that file itself. Another writer that finishes the append is not held, nor is one in a later
// process.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandHandler } from '@refledger/application';

const folder = process.env['FAULTS_HOLD'] ?? '';
const met = new Set<string>();
const appendAt = Reflect.get(CommandHandler.prototype, 'appendAt');

CommandHandler.prototype.appendAt = async function (stream, events, revision) {
  const request = events[0]?.metadata.request_id ?? '';
  const mark = join(folder, request);
  if (
    /^refledger\.(affiliate|conversion)-/.test(stream) &&
    request.startsWith('held-') &&
    !met.has(request) &&
    !existsSync(mark)
  ) {
    met.add(request);
    writeFileSync(mark, '');
    while (existsSync(mark)) await sleep(5);
  }
  return appendAt.call(this, stream, events, revision);
};
