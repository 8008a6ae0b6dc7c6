// Fails when the package has grown beyond its budget. Two thirds are the language client and the libraries of the chat.
import { statSync } from 'node:fs';

const BUDGET_KILOBYTES = 352;
const size = Math.round(statSync('dist/placet.vsix').size / 1024);
process.stdout.write(`dist/placet.vsix: ${size} kB of ${BUDGET_KILOBYTES} kB\n`);
process.exit(size > BUDGET_KILOBYTES ? 1 : 0);
