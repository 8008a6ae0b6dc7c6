/** Restarts the daemon after a change of settings or folders, as soon as no turn runs and no request is pending. */
import type * as vscode from 'vscode';
import { showInStatusBar } from '../ui/window';
import type { Daemon } from './daemon';

export class IdleRestart implements vscode.Disposable {
  private waiting: vscode.Disposable | undefined;

  constructor(private readonly daemon: Daemon) {}

  dispose(): void {
    this.waiting?.dispose();
  }

  /** Restarts a running daemon when idle; the status bar shows `why` if the restart has to wait. */
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
      // The status names the problem, and the next command reports the problem.
    }
  }
}
