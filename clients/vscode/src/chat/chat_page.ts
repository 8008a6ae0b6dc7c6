/** One page of the chat in the side bar or in an editor tab: a page that can reload at any time. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { Asks } from '../permissions/pending_requests';
import type { ShownPage, ShownRequests } from '../permissions/shown_requests';
import type { PageSession } from '../sessions/page_session';
import { Bridge, type Host } from './bridge';
import type { ToPage } from './messages';
import { type Place, pageHtml } from './page';

/** Services that all pages of a window share. */
export interface PageServices {
  extensionUri: vscode.Uri;
  agent: Agent;
  asks: Asks;
  shown: ShownRequests;
  /** Returns the services of VS Code for one page. */
  host(session: PageSession, shown: ShownPage): Host;
}

/** Page of a webview; lives until the webview is closed. */
export class ChatPage implements vscode.Disposable {
  private readonly bridge: Bridge;
  private readonly shown: ShownPage;
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly services: PageServices,
    webview: vscode.Webview,
    place: Place,
    session: PageSession,
  ) {
    this.shown = services.shown.page();
    const root = vscode.Uri.joinPath(services.extensionUri, 'dist', 'webview');
    const host = services.host(session, this.shown);
    this.bridge = new Bridge(services.agent, services.asks, host, (message) => void webview.postMessage(message));
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    this.listening = webview.onDidReceiveMessage((message: unknown) => this.bridge.receive(message));
    webview.html = pageHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.css')).toString(),
      source: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      language: vscode.env.language,
      texts: vscode.l10n.bundle,
      place,
    });
  }

  /** VS Code discards a hidden page; the next page reports when ready. */
  setVisible(isVisible: boolean): void {
    this.shown.setVisible(isVisible);
    if (!isVisible) {
      this.bridge.sleep();
    }
  }

  /** Sends a message to the page; a hidden page gets the message when shown. */
  tell(message: ToPage): void {
    this.bridge.tell(message);
  }

  dispose(): void {
    this.services.shown.drop(this.shown);
    this.listening.dispose();
    this.bridge.dispose();
  }
}
