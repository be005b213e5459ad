// Prints JSON from standard input in a readable layout. Numbers of any size stay exact: the text is
// only laid out, never parsed into numbers.
const text = (await process.stdin.toArray()).join('');
let depth = 0;
let shown = '';
for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
  if (token === '}' || token === ']') shown += `\n${'  '.repeat(--depth)}${token}`;
  else if (token === '{' || token === '[') shown += `${token}\n${'  '.repeat(++depth)}`;
  else if (token === ',') shown += `,\n${'  '.repeat(depth)}`;
  else shown += token === ':' ? ': ' : token;
}
console.log(shown.replaceAll(/([{[])\s+([}\]])/g, '$1$2'));
