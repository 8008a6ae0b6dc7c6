/**
 * Serves `editor/diagnostics`: the diagnostics of the user's own language servers, and whether the diagnostics fit the
 * requested text.
 */
import * as vscode from 'vscode';
import { find, sameUri } from '../editor/documents';
import type { Diagnostics, DiagnosticsItem, DiagnosticsResult } from '../wire';
import { Freshness } from './diagnostics_freshness';
import { diagnostic, type Lsp } from './lsp_conversion';
import { knowsSymbols } from './symbols';
import { diagnosticsOfTypeScript } from './typescript';

/** Diagnostics of a file of an answer, beyond the diagnostics that VS Code shows. */
interface Judged {
  /** True if, as far as known, no server checks such files. */
  isUnserved: boolean;
  /** Diagnostics of the current text from a direct request to the server. */
  reported?: Lsp[];
}

export class EditorDiagnostics implements vscode.Disposable {
  private readonly freshness = new Freshness();
  /** Languages of the files with diagnostics in this window. */
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

  /** Waits until every file of `after` has quiet diagnostics for the version, or the time is up. */
  async serve(params: Diagnostics, token: vscode.CancellationToken): Promise<DiagnosticsResult> {
    const deadline = performance.now() + params.timeoutMs;
    const judged = new Map<string, Judged>();
    for (const name of new Set([...(params.uris ?? []), ...Object.keys(params.after ?? {})])) {
      judged.set(name, await this.judge(name, deadline));
    }
    for (const [uri, version] of Object.entries(params.after ?? {})) {
      const state = judged.get(uri);
      while (!state?.isUnserved && !state?.reported && !token.isCancellationRequested) {
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
      // The window also clears the diagnostics of texts beside the files, such as the text before a change.
      const document = uri.scheme === 'file' ? find(uri.toString()) : undefined;
      if (document) {
        this.freshness.hear(uri.toString(), document.version);
        this.languages.add(document.languageId);
      }
    }
    this.news.fire();
  }

  /** Opens the file without a tab: servers check open files. */
  private async judge(name: string, deadline: number): Promise<Judged> {
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
      const reported = await diagnosticsOfTypeScript(document, deadline - performance.now());
      if (reported) {
        return { isUnserved: false, reported };
      }
      return { isUnserved: !this.languages.has(document.languageId) && !(await knowsSymbols(document.uri)) };
    } catch {
      // A missing file or a file without text has no diagnostics.
      return { isUnserved: true };
    }
  }

  private collect(params: Diagnostics, judged: ReadonlyMap<string, Judged>, timedOut: boolean): DiagnosticsResult {
    let left = params.limit;
    let truncated = false;
    const items = this.requested(params.uris).map(({ uri, name }): DiagnosticsItem => {
      const { isUnserved = false, reported } = judged.get(name) ?? {};
      const all = reported ?? vscode.languages.getDiagnostics(uri).map(diagnostic);
      const severe = all.filter((diagnostic) => (diagnostic.severity as number) <= params.minSeverity);
      truncated ||= severe.length > left;
      const shown = severe.slice(0, left);
      left -= shown.length;
      const version = params.after?.[name] ?? 0;
      const named = all.map((diagnostic) => diagnostic.source).filter((source) => typeof source === 'string');
      const sources = [...new Set(reported ? ['ts', ...named] : named)];
      return {
        uri: name,
        version: find(name)?.version ?? null,
        fresh: reported !== undefined || this.freshness.wait(uri.toString(), version, params.quietMs) === 0,
        diagnostics: shown,
        ...(sources.length > 0 || isUnserved ? { providers: sources } : {}),
      };
    });
    return { items, timedOut, truncated };
  }

  private requested(uris: readonly string[] | undefined | null): { uri: vscode.Uri; name: string }[] {
    return uris
      ? uris.map((name) => ({ uri: vscode.Uri.parse(name, true), name }))
      : vscode.languages
          .getDiagnostics()
          .filter(([uri, diagnostics]) => uri.scheme === 'file' && diagnostics.length > 0)
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
