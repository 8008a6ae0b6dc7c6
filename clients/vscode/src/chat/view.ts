/** Chat view: a page that can reload at any time, as the state of the page belongs to the daemon. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { Asks } from '../permissions/pending_requests';
import type { ShownRequests } from '../permissions/shown_requests';
import { pendingCount } from '../ui/counts';
import { Bridge, type Host } from './bridge';
import type { ToPage } from './messages';
import { pageHtml } from './page';

export class ChatView {
  private bridge: Bridge | undefined;
  private view: vscode.WebviewView | undefined;
  /** Messages for a view that was not shown yet. */
  private held: ToPage[] = [];

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly agent: Agent,
    private readonly asks: Asks,
    private readonly host: Host,
    private readonly shown: ShownRequests,
  ) {}

  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  /** Builds the page when VS Code shows the view, for the first time or again. */
  resolve(view: vscode.WebviewView): void {
    const root = vscode.Uri.joinPath(this.extensionUri, 'dist', 'webview');
    const { webview } = view;
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const bridge = new Bridge(this.agent, this.asks, this.host, (message) => void webview.postMessage(message));
    this.bridge = bridge;
    this.view = view;
    this.tellHeld(bridge);
    const showWaiting = () => {
      const { length } = this.asks.waiting;
      const tooltip = pendingCount(length);
      view.badge = length > 0 ? { value: length, tooltip } : undefined;
    };
    showWaiting();
    const subscriptions = [
      bridge,
      this.asks.onChange(showWaiting),
      webview.onDidReceiveMessage((message: unknown) => bridge.receive(message)),
      // VS Code discards a hidden page; the next page reports when ready.
      view.onDidChangeVisibility(() => {
        this.shown.setVisible(view.visible);
        if (!view.visible) {
          bridge.sleep();
        }
      }),
    ];
    this.shown.setVisible(view.visible);
    view.onDidDispose(() => {
      this.shown.setVisible(false);
      this.bridge = undefined;
      this.view = undefined;
      vscode.Disposable.from(...subscriptions).dispose();
    });
    webview.html = pageHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(root, 'main.css')).toString(),
      source: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
      language: vscode.env.language,
      texts: vscode.l10n.bundle,
    });
  }

  /** Sends a message to the page; a hidden or missing page gets the message when shown. */
  tell(message: ToPage): void {
    if (this.bridge) {
      this.bridge.tell(message);
    } else {
      this.held.push(message);
    }
  }

  private tellHeld(bridge: Bridge): void {
    const held = this.held;
    this.held = [];
    for (const message of held) {
      bridge.tell(message);
    }
  }
}
