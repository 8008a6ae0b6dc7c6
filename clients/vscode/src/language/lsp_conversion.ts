/**
 * Converts VS Code's values to LSP. The module uses only the shapes of the values, so that the module runs without VS
 * Code.
 */
import type { Position, Range, TextEdit } from '../editor/edit_text';

interface UriLike {
  toString(): string;
}

export interface LocationLike {
  uri: UriLike;
  range: Range;
}

export interface LocationLinkLike {
  targetUri: UriLike;
  targetRange: Range;
  targetSelectionRange?: Range | undefined;
}

export interface DiagnosticLike {
  range: Range;
  message: string;
  severity: number;
  source?: string | undefined;
  code?: string | number | { value: string | number; target: UriLike } | undefined;
  tags?: readonly number[] | undefined;
  relatedInformation?: readonly { location: LocationLike; message: string }[] | undefined;
}

export type Lsp = Record<string, unknown>;

export function position({ line, character }: Position): Position {
  return { line, character };
}

export function range({ start, end }: Range): Range {
  return { start: position(start), end: position(end) };
}

export function location(value: LocationLike | LocationLinkLike): Lsp {
  return 'targetUri' in value
    ? { uri: value.targetUri.toString(), range: range(value.targetSelectionRange ?? value.targetRange) }
    : { uri: value.uri.toString(), range: range(value.range) };
}

/** Converts a diagnostic. VS Code counts severities from 0, LSP from 1. */
export function diagnostic(value: DiagnosticLike): Lsp {
  const { code } = value;
  return stripped({
    range: range(value.range),
    severity: value.severity + 1,
    message: value.message,
    source: value.source,
    code: typeof code === 'object' ? code.value : code,
    codeDescription: typeof code === 'object' ? { href: code.target.toString() } : undefined,
    tags: value.tags?.length ? [...value.tags] : undefined,
    relatedInformation: value.relatedInformation?.map((information) => ({
      location: location(information.location),
      message: information.message,
    })),
  });
}

export function textEdit(value: { range: Range; newText: string }): TextEdit {
  return { range: range(value.range), newText: value.newText };
}

export interface WorkspaceEditLike {
  entries(): [UriLike, readonly { range: Range; newText: string }[]][];
}

/** Converts text edits only: VS Code does not report which files an edit would create, rename or delete. */
export function workspaceEdit(value: WorkspaceEditLike, versionOf: (uri: string) => number | null): Lsp {
  return {
    documentChanges: value.entries().map(([uri, edits]) => ({
      textDocument: { uri: uri.toString(), version: versionOf(uri.toString()) },
      edits: edits.map(textEdit),
    })),
  };
}

type Marked = string | { language: string; value: string } | { value: string };

/** Returns all hovers as a single Markdown hover; null if no hover has a text. */
export function hover(values: readonly { contents: readonly Marked[]; range?: Range | undefined }[]): Lsp | null {
  const texts = values.flatMap((value) => value.contents.map(markdown)).filter((text) => text.trim() !== '');
  if (texts.length === 0) {
    return null;
  }
  const place = values.find((value) => value.range)?.range;
  return stripped({
    contents: { kind: 'markdown', value: texts.join('\n\n') },
    range: place && range(place),
  });
}

function markdown(value: Marked): string {
  if (typeof value === 'string') {
    return value;
  }
  return 'language' in value ? `\`\`\`${value.language}\n${value.value}\n\`\`\`` : value.value;
}

export interface SymbolLike {
  name: string;
  detail?: string;
  kind: number;
  tags?: readonly number[] | undefined;
  range?: Range;
  selectionRange?: Range;
  children?: readonly SymbolLike[];
  containerName?: string;
  location?: LocationLike;
}

/** Converts a symbol. VS Code counts kinds of symbols from 0, LSP from 1. */
export function symbol(value: SymbolLike): Lsp {
  if (value.range && value.selectionRange) {
    return stripped({
      name: value.name,
      detail: value.detail || undefined,
      kind: value.kind + 1,
      tags: value.tags?.length ? [...value.tags] : undefined,
      range: range(value.range),
      selectionRange: range(value.selectionRange),
      children: value.children?.length ? value.children.map(symbol) : undefined,
    });
  }
  return stripped({
    name: value.name,
    kind: value.kind + 1,
    tags: value.tags?.length ? [...value.tags] : undefined,
    containerName: value.containerName || undefined,
    location: value.location && location(value.location),
  });
}

type Documentation = string | { value: string } | undefined;

export interface SignatureHelpLike {
  activeSignature: number;
  activeParameter: number;
  signatures: readonly {
    label: string;
    documentation?: Documentation;
    activeParameter?: number | undefined;
    parameters: readonly { label: string | [number, number]; documentation?: Documentation }[];
  }[];
}

export function signatureHelp(value: SignatureHelpLike): Lsp {
  return {
    activeSignature: value.activeSignature,
    activeParameter: value.activeParameter,
    signatures: value.signatures.map((signature) =>
      stripped({
        label: signature.label,
        documentation: documentation(signature.documentation),
        activeParameter: signature.activeParameter,
        parameters: signature.parameters.map((parameter) =>
          stripped({ label: parameter.label, documentation: documentation(parameter.documentation) }),
        ),
      }),
    ),
  };
}

function documentation(value: Documentation): unknown {
  return value === undefined || typeof value === 'string' ? value : { kind: 'markdown', value: value.value };
}

export interface CodeActionLike {
  title: string;
  kind?: { value: string } | undefined;
  isPreferred?: boolean | undefined;
  disabled?: { reason: string } | undefined;
  diagnostics?: readonly DiagnosticLike[] | undefined;
  edit?: WorkspaceEditLike | undefined;
  command?: { title: string; command: string; arguments?: unknown[] } | string | undefined;
}

/** Converts a code action without the command's arguments, which are objects of the extension that made the action. */
export function codeAction(value: CodeActionLike, versionOf: (uri: string) => number | null): Lsp {
  const { command } = value;
  return stripped({
    title: value.title,
    kind: value.kind?.value,
    isPreferred: value.isPreferred,
    disabled: value.disabled && { reason: value.disabled.reason },
    diagnostics: value.diagnostics?.length ? value.diagnostics.map(diagnostic) : undefined,
    edit: value.edit && workspaceEdit(value.edit, versionOf),
    command: typeof command === 'object' ? { title: command.title, command: command.command } : undefined,
  });
}

export interface CallHierarchyItemLike {
  name: string;
  kind: number;
  tags?: readonly number[] | undefined;
  detail?: string | undefined;
  uri: UriLike;
  range: Range;
  selectionRange: Range;
}

/** Converts an item; `handle` comes back in the item of the next request. */
export function callHierarchyItem(value: CallHierarchyItemLike, handle: number): Lsp {
  return stripped({
    name: value.name,
    kind: value.kind + 1,
    tags: value.tags?.length ? [...value.tags] : undefined,
    detail: value.detail || undefined,
    uri: value.uri.toString(),
    range: range(value.range),
    selectionRange: range(value.selectionRange),
    data: { handle },
  });
}

/** Returns the value without undefined fields. */
function stripped(value: Lsp): Lsp {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
