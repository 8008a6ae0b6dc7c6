/** Converts tsserver's diagnostics to LSP (typescript/lib/protocol.d.ts: places count from 1). */
import type { Lsp } from './lsp_conversion';

interface Place {
  line: number;
  offset: number;
}

export interface TsDiagnostic {
  start: Place;
  end: Place;
  text: string;
  code?: number;
  category: string;
  source?: string;
}

const SEVERITIES: Record<string, number> = { error: 1, warning: 2, message: 3, suggestion: 4 };

export function fromTsServer(value: TsDiagnostic): Lsp {
  const at = ({ line, offset }: Place) => ({ line: line - 1, character: offset - 1 });
  return {
    range: { start: at(value.start), end: at(value.end) },
    severity: SEVERITIES[value.category] ?? 1,
    message: value.text,
    source: value.source ?? 'ts',
    ...(value.code === undefined ? {} : { code: value.code }),
  };
}
