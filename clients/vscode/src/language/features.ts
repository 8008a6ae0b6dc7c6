/** Serves `editor/languageFeature`: queries the user's own language servers through VS Code's commands. */
import * as vscode from 'vscode';
import { find } from '../editor/documents';
import type { Position, Range } from '../editor/edit_text';
import type { LanguageFeature, LanguageFeatureResult } from '../wire';
import { Handles } from './handles';
import * as convert from './lsp_conversion';
import { knowsSymbols } from './symbols';

interface Params {
  textDocument: { uri: string };
  position: Position;
  range: Range;
  newName: string;
  query: string;
  options: Record<string, unknown>;
  context: { only?: string[]; triggerCharacter?: string };
  item: { data?: { handle?: number } };
}

type Method = LanguageFeature['method'];
type Serve = (params: Params) => Promise<unknown>;

const items = new Handles<vscode.CallHierarchyItem>();
const CODE_ACTIONS_RESOLVED = 20;

/** Handlers by method. A handler answers with LSP's result; undefined if no server has a result. */
const SERVE: Record<Method, Serve> = {
  'textDocument/definition': locations('vscode.executeDefinitionProvider'),
  'textDocument/typeDefinition': locations('vscode.executeTypeDefinitionProvider'),
  'textDocument/implementation': locations('vscode.executeImplementationProvider'),
  'textDocument/references': locations('vscode.executeReferenceProvider'),
  'textDocument/hover': async (params) => {
    const hovers = await run<vscode.Hover[]>('vscode.executeHoverProvider', uriOf(params), at(params));
    return convert.hover(hovers ?? []) ?? undefined;
  },
  'textDocument/documentSymbol': async (params) => {
    const results = await run<convert.SymbolLike[]>('vscode.executeDocumentSymbolProvider', uriOf(params));
    return results?.length ? results.map(convert.symbol) : undefined;
  },
  'textDocument/signatureHelp': async (params) => {
    const trigger = params.context?.triggerCharacter;
    const help = await run<vscode.SignatureHelp>(
      'vscode.executeSignatureHelpProvider',
      uriOf(params),
      at(params),
      trigger,
    );
    return help?.signatures.length ? convert.signatureHelp(help) : undefined;
  },
  'textDocument/rename': async (params) => {
    const edit = await run<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      uriOf(params),
      at(params),
      params.newName,
    );
    return edit?.size ? convert.workspaceEdit(edit, versionOf) : undefined;
  },
  'textDocument/codeAction': async (params) => {
    const [only] = params.context?.only ?? [];
    const results = await run<convert.CodeActionLike[]>(
      'vscode.executeCodeActionProvider',
      uriOf(params),
      rangeOf(params.range),
      only,
      CODE_ACTIONS_RESOLVED,
    );
    return results?.length ? results.map((codeActionLike) => convert.codeAction(codeActionLike, versionOf)) : undefined;
  },
  'textDocument/formatting': async (params) => {
    const edits = await run<vscode.TextEdit[]>(
      'vscode.executeFormatDocumentProvider',
      uriOf(params),
      params.options ?? { tabSize: 4, insertSpaces: true },
    );
    return edits?.map(convert.textEdit);
  },
  'textDocument/prepareCallHierarchy': async (params) => {
    const results = await run<vscode.CallHierarchyItem[]>('vscode.prepareCallHierarchy', uriOf(params), at(params));
    return results?.length ? results.map(handed) : undefined;
  },
  'workspace/symbol': async (params) => {
    const results = await run<convert.SymbolLike[]>('vscode.executeWorkspaceSymbolProvider', params.query ?? '');
    return results?.length ? results.map(convert.symbol) : undefined;
  },
  'callHierarchy/incomingCalls': async (params) => {
    const calls = await run<vscode.CallHierarchyIncomingCall[]>('vscode.provideIncomingCalls', itemOf(params));
    return calls?.map((call) => ({ from: handed(call.from), fromRanges: call.fromRanges.map(convert.range) }));
  },
  'callHierarchy/outgoingCalls': async (params) => {
    const calls = await run<vscode.CallHierarchyOutgoingCall[]>('vscode.provideOutgoingCalls', itemOf(params));
    return calls?.map((call) => ({ to: handed(call.to), fromRanges: call.fromRanges.map(convert.range) }));
  },
};

/** Methods that are declared to the daemon. */
export const LANGUAGE_FEATURES = Object.keys(SERVE) as Method[];

/** Queries a feature within the requested time. Edits come back as data; nothing is applied. */
export async function languageFeature(request: LanguageFeature): Promise<LanguageFeatureResult> {
  const params = request.params as unknown as Params;
  const work = answer(request.method, params);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<LanguageFeatureResult>((resolve) => {
    timer = setTimeout(() => resolve({ status: 'timeout' }), request.timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function answer(method: Method, params: Params): Promise<LanguageFeatureResult> {
  const uri = params.textDocument?.uri;
  if (uri) {
    // A language server knows an open document; opening the document shows no tab.
    await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  }
  const result = await SERVE[method](params);
  if (result === undefined && uri && !(await knowsSymbols(vscode.Uri.parse(uri, true)))) {
    return { status: 'noProvider' };
  }
  return { status: 'ok', result: result ?? null, versions: versionsOf(uri, result) };
}

function locations(command: string): Serve {
  return async (params) => {
    const results = await run<(vscode.Location | vscode.LocationLink)[]>(command, uriOf(params), at(params));
    return results?.length ? results.map(convert.location) : undefined;
  };
}

async function run<T>(command: string, ...parameters: unknown[]): Promise<T | undefined> {
  return (await vscode.commands.executeCommand<T | undefined>(command, ...parameters)) ?? undefined;
}

function uriOf(params: Params): vscode.Uri {
  return vscode.Uri.parse(params.textDocument.uri, true);
}

function at(params: Params): vscode.Position {
  return new vscode.Position(params.position.line, params.position.character);
}

function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function handed(item: vscode.CallHierarchyItem): convert.Lsp {
  return convert.callHierarchyItem(item, items.give(item));
}

function itemOf(params: Params): vscode.CallHierarchyItem {
  const item = items.get(params.item.data?.handle);
  if (!item) {
    throw new Error('That item of a call hierarchy is not known any more; prepare it again.');
  }
  return item;
}

function versionOf(uri: string): number | null {
  return find(uri)?.version ?? null;
}

/** Returns the versions of the open documents that the result names. */
function versionsOf(requestedUri: string | undefined, result: unknown): Record<string, number> {
  const versions: Record<string, number> = {};
  const note = (uri: string) => {
    const version = versionOf(uri);
    if (version !== null) {
      versions[uri] = version;
    }
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(walk);
    } else if (value && typeof value === 'object') {
      for (const [key, field] of Object.entries(value)) {
        if (key === 'uri' && typeof field === 'string') {
          note(field);
        } else {
          walk(field);
        }
      }
    }
  };
  if (requestedUri) {
    note(requestedUri);
  }
  walk(result);
  return versions;
}
