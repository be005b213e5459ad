// Compiles each module once per process. Jest compiles it again for every test file that loads it,
// with `vm.compileFunction`, which never uses V8's cache (https://github.com/nodejs/node/issues/35375).
const vm = require('node:vm');

const { compileFunction } = vm;
const compiled = new Map();

vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  if (parsingContext === undefined) return compileFunction(source, parameters, options);
  const known = compiled.get(filename);
  if (known?.source === source) return known.script.runInContext(parsingContext);
  const begin = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${begin}${source}\n})`, {
    filename,
    // so that stack traces name the columns of the source
    columnOffset: -begin.length,
  });
  compiled.set(filename, { source, script });
  return script.runInContext(parsingContext);
};
