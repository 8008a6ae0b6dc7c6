/** `editor/diagnostics`: what the user's own servers say, and whether it was said of the text asked about. */
import * as vscode from 'vscode';
import { find, sameUri } from '../editor/documents';
import type { Diagnostics, DiagnosticsItem, DiagnosticsResult } from '../wire';
import { Freshness } from './diagnostics_freshness';
import { diagnostic, type Lsp } from './lsp_conversion';
import { knowsSymbols } from './symbols';
import { diagnosticsOfTypeScript } from './typescript';

/** One file of an answer, so far as it is not what VS Code shows anyway. */
interface Judged {
  /** Nobody judges such files, as far as one can see. */
  isUnserved: boolean;
  /** What was said when asked, of the text as it is now. */
  told?: Lsp[];
}

export class EditorDiagnostics implements vscode.Disposable {
  private readonly freshness = new Freshness();
  /** Languages of which some file was judged in this window. */
  private readonly languages = new Set<string>();
  private readonly news = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.hear(uris)),
      vscode.workspace.onDidCloseTextDocument((document) => this.freshness.forget(document.uri.toString())),
      this.news,
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Wait until every file of `after` is judged at its version and quiet, or the time is up. */
  async serve(params: Diagnostics, token: vscode.CancellationToken): Promise<DiagnosticsResult> {
    const deadline = performance.now() + params.timeoutMs;
    const judged = new Map<string, Judged>();
    for (const name of new Set([...(params.uris ?? []), ...Object.keys(params.after ?? {})])) {
      judged.set(name, await this.judge(name, deadline));
    }
    for (const [uri, version] of Object.entries(params.after ?? {})) {
      const one = judged.get(uri);
      while (!one?.isUnserved && !one?.told && !token.isCancellationRequested) {
        const wait = this.freshness.wait(sameUri(uri), version, params.quietMs);
        const left = deadline - performance.now();
        if (wait === 0 || !find(uri)) {
          break;
        }
        if (left <= 0) {
          return this.collect(params, judged, true);
        }
        await this.pause(Math.min(wait ?? left, left), token);
      }
    }
    return this.collect(params, judged, false);
  }

  private hear(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      const document = find(uri.toString());
      if (document) {
        this.freshness.hear(uri.toString(), document.version);
        this.languages.add(document.languageId);
      }
    }
    this.news.fire();
  }

  /** Opens the file, and no tab: servers judge what is open. */
  private async judge(name: string, deadline: number): Promise<Judged> {
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
      const told = await diagnosticsOfTypeScript(document, deadline - performance.now());
      if (told) {
        return { isUnserved: false, told };
      }
      return { isUnserved: !this.languages.has(document.languageId) && !(await knowsSymbols(document.uri)) };
    } catch {
      // A file that is gone, or none that has text, has no diagnostics.
      return { isUnserved: true };
    }
  }

  private collect(params: Diagnostics, judged: ReadonlyMap<string, Judged>, timedOut: boolean): DiagnosticsResult {
    let left = params.limit;
    let truncated = false;
    const items = this.asked(params.uris).map(({ uri, name }): DiagnosticsItem => {
      const { isUnserved = false, told } = judged.get(name) ?? {};
      const all = told ?? vscode.languages.getDiagnostics(uri).map(diagnostic);
      const found = all.filter((diagnostic) => (diagnostic.severity as number) <= params.minSeverity);
      truncated ||= found.length > left;
      const shown = found.slice(0, left);
      left -= shown.length;
      const wanted = params.after?.[name] ?? 0;
      const named = all.map((diagnostic) => diagnostic.source).filter((source) => typeof source === 'string');
      const sources = [...new Set(told ? ['ts', ...named] : named)];
      return {
        uri: name,
        version: find(name)?.version ?? null,
        fresh: told !== undefined || this.freshness.wait(uri.toString(), wanted, params.quietMs) === 0,
        diagnostics: shown,
        ...(sources.length > 0 || isUnserved ? { providers: sources } : {}),
      };
    });
    return { items, timedOut, truncated };
  }

  private asked(uris: readonly string[] | undefined | null): { uri: vscode.Uri; name: string }[] {
    return uris
      ? uris.map((name) => ({ uri: vscode.Uri.parse(name, true), name }))
      : vscode.languages
          .getDiagnostics()
          .filter(([uri, found]) => uri.scheme === 'file' && found.length > 0)
          .map(([uri]) => ({ uri, name: uri.toString() }));
  }

  private pause(milliseconds: number, token: vscode.CancellationToken): Promise<void> {
    return new Promise((resolve) => {
      const ends = [this.news.event(() => end()), token.onCancellationRequested(() => end())];
      const timer = setTimeout(() => end(), milliseconds);
      const end = () => {
        clearTimeout(timer);
        vscode.Disposable.from(...ends).dispose();
        resolve();
      };
    });
  }
}
