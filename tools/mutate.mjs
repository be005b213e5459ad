// `node tools/mutate.mjs --seed 1 --count 60`: chooses one-line mutations of the code, such as `<=` for
// `<`, and prints them as lines of JSON. With --run, applies each in turn to this checkout, which must
// have no uncommitted changes, and runs suites until one fails: those of the mutated library, the
// black-box suites, and then all of CI's. A mutation that survives shows what no suite tests.
// --from FILE runs the mutations of a file instead of choosing.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { workspacesWith } from './suites.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const root = join(import.meta.dirname, '..');
const mutated = [
  ...['domain', 'application', 'balances', 'projections'].map((lib) => `libs/${lib}`),
  ...['delivery-store', 'key-store', 'webhook-endpoints', 'webhooks'].map((lib) => `libs/${lib}`),
  ...['event-log', 'read-store', 'sqlite', 'mongodb', 'event-bus'].map((lib) => `libs/${lib}`),
  'apps/gateway',
  'apps/ops',
];

const operators = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** The text that takes the place of a node; undefined if there is no mutation of it. */
const replacementOf = (node) => {
  const text = node.getText();
  if (ts.isBinaryExpression(node)) {
    const other = operators[node.operatorToken.getText()];
    const isText = [node.left, node.right].some(ts.isStringLiteralLike);
    return other === undefined || isText
      ? undefined
      : `${node.left.getText()} ${other} ${node.right.getText()}`;
  }
  if (ts.isConditionalExpression(node))
    return `${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()}`;
  if (ts.isIfStatement(node.parent) && node.parent.expression === node) return `!(${text})`;
  if (ts.isExpressionStatement(node) && !/^(await )?[\w.]*(logger|console)\./.test(text))
    return ';';
  if (ts.isLiteralTypeNode(node.parent)) return undefined;
  if (ts.isNumericLiteral(node)) return String(Number(text.replaceAll('_', '')) + 1);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false';
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true';
  return undefined;
};

const mutationsOf = (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found = [];
  const visit = (node) => {
    const replacement = replacementOf(node);
    const [start, end] = [node.getStart(), node.getEnd()].map((at) =>
      source.getLineAndCharacterOfPosition(at),
    );
    if (replacement !== undefined && start.line === end.line) {
      const before = lines[start.line];
      const after = `${before.slice(0, start.character)}${replacement}${before.slice(end.character)}`;
      found.push({ file, line: start.line + 1, before, after });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
};

const sources = () =>
  mutated.flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true })
      .map((file) => `${workspace}/src/${file}`)
      .filter((file) => /\.ts$/.test(file) && !/\.spec\.ts$|\/conformance\//.test(file))
      .sort(),
  );

/** Random numbers from a seed (mulberry32). */
const randomFrom = (seed) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const choose = (seed, count) => {
  const all = sources().flatMap(mutationsOf);
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => all.splice(Math.floor(random() * all.length), 1)[0]);
};

/** Applies a mutation. Finds its line by its text, because code before it may have changed since. */
const apply = ({ file, line, before, after }) => {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const same = lines.flatMap((each, at) => (each === before ? [at] : []));
  if (same.length === 0) return undefined;
  const at = same.sort((a, b) => Math.abs(a + 1 - line) - Math.abs(b + 1 - line))[0];
  lines[at] = after;
  writeFileSync(path, lines.join('\n'));
  return () => writeFileSync(path, text);
};

const passes = (workspace, tier, args = []) => {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/jest/bin/jest.js'), '--bail', '--silent', ...args],
    {
      cwd: join(root, workspace),
      env: { ...process.env, TEST_TIER: tier },
      stdio: 'ignore',
      timeout: 20 * 60_000,
      killSignal: 'SIGKILL',
    },
  );
  return status === 0;
};

/** The suites to run on a mutation, cheapest first. */
const stagesOf = ({ file }) => {
  const own = file.split('/').slice(0, 2).join('/');
  const path = join(root, file);
  const related = ['--passWithNoTests', '--findRelatedTests', path];
  const others = (tier) =>
    workspacesWith(tier)
      .filter((workspace) => workspace !== own && workspace !== 'acceptance')
      .map((workspace) => [`${workspace} (${tier})`, () => passes(workspace, tier)]);
  return [
    [`${own}, related`, () => passes(own, 'test', related)],
    ['the build', () => spawnSync('node', ['tools/build.mjs'], { cwd: root }).status === 0],
    [own, () => passes(own, 'test')],
    ...(workspacesWith('engines').includes(own)
      ? [[`${own} (engines)`, () => passes(own, 'engines')]]
      : []),
    ['acceptance', () => passes('acceptance', 'test')],
    ...others('test'),
    ['acceptance (engines)', () => passes('acceptance', 'engines')],
    ...others('engines'),
    ['acceptance (faults)', () => passes('acceptance', 'faults')],
    ...others('faults'),
  ];
};

const {
  values: { seed, count, run, from },
} = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    from: { type: 'string' },
    run: { type: 'boolean', default: false },
  },
});
const chosen =
  from === undefined
    ? choose(Number(seed), Number(count))
    : readFileSync(from, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
if (run) {
  if (spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout !== '') {
    console.error('there are uncommitted changes. Commit them, since a mutation changes files.');
    process.exit(2);
  }
  Object.assign(process.env, temporaryFolder());
}
for (const mutation of chosen) {
  if (!run) {
    console.log(JSON.stringify(mutation));
    continue;
  }
  const restore = apply(mutation);
  const failed = restore === undefined ? undefined : stagesOf(mutation).find(([, pass]) => !pass());
  restore?.();
  const verdict = restore === undefined ? 'does not apply' : (failed?.[0] ?? 'survived');
  console.log(JSON.stringify({ ...mutation, verdict }));
}
