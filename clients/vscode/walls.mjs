// Fails when a room of the extension (src) or of the chat page (webview) imports another room that is not in a lower row
// of rows.txt, or when modules import each other in a circle. A room is a folder, or a module beside the folders.
// Imports of types count, also inside an expression. A function of more than 60 lines fails too; scripts/shape.py holds
// the limits of files and folders. `node walls.mjs FOLDER` checks a copy.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Lines of a function with its parameters, and with the functions inside. */
const MOST_FUNCTION_LINES = 60;
const root = path.resolve(process.argv[2] ?? import.meta.dirname);
const modules = globSync('{src,webview}/**/*.{ts,tsx}', { cwd: root }).map((name) => name.replaceAll('\\', '/'));
const faults = [];

/** Syntax trees by module. */
const sources = new Map(modules.sort().map((module) => [module, parsed(module)]));
/** Imported modules of the extension and of the page, by module. */
const imports = new Map(modules.map((module) => [module, importsOf(module)]));

function parsed(module) {
  return ts.createSourceFile(module, readFileSync(path.join(root, module), 'utf8'), ts.ScriptTarget.Latest);
}

function importsOf(module) {
  return namesIn(module).flatMap((name) => {
    const target = path.posix.join(path.posix.dirname(module), name);
    const found = [`${target}.ts`, `${target}.tsx`, target].find((file) => modules.includes(file));
    if (!found && !existsSync(path.join(root, target))) {
      faults.push(`${module} imports ${name}, which does not exist`);
    }
    return found ? [found] : [];
  });
}

/** Returns the relative names of modules in all forms of import. */
function namesIn(module) {
  const names = [];
  const source = sources.get(module);
  const visit = (node) => {
    const isCall =
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText(source) === 'require');
    const name =
      node.moduleSpecifier ?? // import … from, export … from
      (ts.isImportTypeNode(node) ? node.argument.literal : undefined) ??
      (ts.isExternalModuleReference(node) ? node.expression : undefined) ??
      (isCall ? node.arguments[0] : undefined);
    if (name && !ts.isStringLiteralLike(name)) {
      faults.push(`${module} imports a computed name: ${name.getText(source)}`);
    } else if (name?.text.startsWith('.')) {
      names.push(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function roomOf(module) {
  const [side, name] = module.split('/');
  return `${side}/${name.replace(/\.tsx?$/, '')}`;
}

function checkRows() {
  const rows = readFileSync(path.join(root, 'rows.txt'), 'utf8').trim().split('\n');
  const named = rows.flatMap((row, index) => row.split('|').map((room) => [room.trim(), index]));
  const rowOf = new Map(named);
  const rooms = new Set(modules.map(roomOf));
  faults.push(...[...rooms].filter((room) => !rowOf.has(room)).map((room) => `rows.txt lacks the room ${room}`));
  faults.push(...[...rowOf.keys()].filter((room) => !rooms.has(room)).map((room) => `there is no room ${room}`));
  if (named.length > rowOf.size) {
    faults.push('rows.txt names a room twice');
  }
  for (const [module, imported] of imports) {
    for (const target of imported) {
      const [from, to] = [module, target].map(roomOf);
      if (from !== to && rowOf.get(from) >= rowOf.get(to)) {
        const where = rowOf.get(from) === rowOf.get(to) ? 'the same' : 'a higher';
        faults.push(`${module} imports ${target}, but ${to} is in ${where} row`);
      }
    }
  }
}

/** Reports a circle for each module that leads back to a module on the way. */
function checkCircles() {
  const isDone = new Map();
  const visit = (module, way) => {
    if (isDone.get(module) === false) {
      faults.push(`circle: ${[...way.slice(way.indexOf(module)), module].join(' -> ')}`);
    } else if (!isDone.has(module)) {
      isDone.set(module, false);
      for (const target of imports.get(module)) {
        visit(target, [...way, module]);
      }
      isDone.set(module, true);
    }
  };
  for (const module of imports.keys()) {
    visit(module, []);
  }
}

function checkFunctions() {
  for (const [module, source] of sources) {
    const lineOf = (place) => source.getLineAndCharacterOfPosition(place).line + 1;
    const visit = (node) => {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - first + 1;
      if (ts.isFunctionLike(node) && node.body && lines > MOST_FUNCTION_LINES) {
        faults.push(`${module}:${first}: a function has ${lines} lines, ${MOST_FUNCTION_LINES} at most`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
}

checkRows();
checkCircles();
checkFunctions();
process.stderr.write(faults.map((fault) => `${fault}\n`).join(''));
process.exitCode = faults.length > 0 ? 1 : 0;
