/** Restarts the daemon with what has changed around it, as soon as no turn runs and nothing waits for the user. */
import type * as vscode from 'vscode';
import { showInStatusBar } from '../ui/window';
import type { Daemon } from './daemon';

export class IdleRestart implements vscode.Disposable {
  private waiting: vscode.Disposable | undefined;

  constructor(private readonly daemon: Daemon) {}

  dispose(): void {
    this.waiting?.dispose();
  }

  /** `why` is told when the user has to wait for it. Does nothing while the daemon is not running. */
  restartWhenIdle(why: string): void {
    if (this.waiting || this.daemon.status.state !== 'ready') {
      return;
    }
    if (this.isIdle()) {
      void this.restart();
      return;
    }
    showInStatusBar(`Placet: ${why}`, 10_000);
    this.waiting = this.daemon.onStatus(() => {
      if (this.isIdle()) {
        this.waiting?.dispose();
        this.waiting = undefined;
        void this.restart();
      }
    });
  }

  private isIdle(): boolean {
    const { running, waiting } = this.daemon.status;
    return running.length === 0 && waiting === 0;
  }

  private async restart(): Promise<void> {
    try {
      await this.daemon.startAgain();
    } catch {
      // The status says what went wrong, and the next command tells it.
    }
  }
}
