/** The chat view: a page that can be thrown away and made anew at any time, as its state is the daemon's. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../agent';
import type { Asks } from '../chat/asks';
import { Bridge, type Host } from '../chat/bridge';
import type { ToPage } from '../chat/messages';
import { pageHtml } from '../chat/page';

export class ChatView {
  private view: vscode.WebviewView | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly agent: Agent,
    private readonly asks: Asks,
    private readonly host: Host,
  ) {}

  /** VS Code shows the view, for the first time or again. */
  resolve(view: vscode.WebviewView): void {
    this.view = view;
    const root = vscode.Uri.joinPath(this.extensionUri, 'dist', 'webview');
    const { webview } = view;
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const bridge = new Bridge(this.agent, this.asks, this.host, (message) => void webview.postMessage(message));
    const listening = webview.onDidReceiveMessage((message: unknown) => bridge.receive(message));
    view.onDidDispose(() => {
      this.view = undefined;
      vscode.Disposable.from(bridge, listening).dispose();
    });
    webview.html = pageHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.css')).toString(),
      source: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      language: vscode.env.language,
    });
  }

  /** Tell the page, if it is there. */
  tell(message: ToPage): void {
    void this.view?.webview.postMessage(message);
  }
}
