import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { unusedPort } from '../reserve-port.js';
import { eventually } from '../wait.js';
import { listens } from '../servers/listens.js';
import { ServerProcess } from './server-process.js';

const listening =
  'require("node:net").createServer(() => {}).listen(Number(process.argv[1]), "127.0.0.1", () => console.log("I serve"))';

describe('a server process', () => {
  const serverAt = (port: number, program = listening) =>
    new ServerProcess({
      command: process.execPath,
      args: ['-e', program, String(port)],
      serves: (printed) => printed.includes('I serve'),
    });

  it('serves once it is started, even after it was killed or ended', async () => {
    const port = await unusedPort();
    const server = serverAt(port);
    for (const end of ['SIGKILL', 'cleanly'] as const) {
      await server.start();
      expect(await listens(port)).toBe(true);
      await expect(server.start()).rejects.toThrow('already running');
      await server.end(end);
      expect(await listens(port)).toBe(false);
    }
    expect(() => server.signal('SIGSTOP')).toThrow('is not running');
  });

  it('ends a suspended process', async () => {
    const server = serverAt(await unusedPort());
    await server.start();
    server.signal('SIGSTOP');
    await server.end('cleanly');
  });

  it('reports the output of a server that exits instead of serving', () =>
    expect(serverAt(1, 'console.error("no disk"); process.exit(3)').start()).rejects.toThrow(
      /ended instead of serving; it printed:\nno disk/,
    ));

  it('leaves nothing behind when the process that started it is killed', async () => {
    const port = await unusedPort();
    const file = require.resolve('../../dist/processes/server-process.js');
    const program = `import(${JSON.stringify(file)}).then(async ({ ServerProcess }) => { await new ServerProcess({ command: process.execPath, args: ['-e', ${JSON.stringify(listening)}, '${port}'], serves: (printed) => printed.includes('I serve') }).start(); console.log('started'); })`;
    const parent = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    expect(await listens(port)).toBe(true);

    parent.kill('SIGKILL');

    await eventually(async () => expect(await listens(port)).toBe(false));
  });
});
