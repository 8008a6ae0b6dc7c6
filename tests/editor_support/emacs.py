"""Emacs with eglot, in batch mode: what a journey through it is written with."""

from pathlib import Path

EGLOT = sorted(Path("/usr/share/emacs/site-lisp/elpa").glob("eglot-*"))

LIBRARY = r"""
(defvar test-seconds (string-to-number (getenv "WAIT_SECONDS")))
(setq make-backup-files nil create-lockfiles nil
      eglot-sync-connect test-seconds eglot-connect-timeout test-seconds
      eglot-autoreconnect nil jsonrpc-default-request-timeout test-seconds)
(defvar test-said nil) (defvar test-asked nil) (defvar test-answers nil) (defvar test-seen nil)
(defun test-note (name value) (push (cons name value) test-seen))
(advice-add 'message :before
            (lambda (format &rest arguments) (when format (push (apply #'format format arguments) test-said))))
(advice-add 'completing-read :override
            (lambda (prompt choices &rest _)
              (push (list (cons 'prompt prompt) (cons 'choices (vconcat choices))) test-asked)
              (let ((answer (pop test-answers)))
                (if (eq answer 'quit) (signal 'quit nil) answer))))
(defun test-said-p (text) (seq-find (lambda (one) (string-match-p (regexp-quote text) one)) test-said))
(defun test-wait (what test)
  (let ((end (+ (float-time) test-seconds)))
    (while (and (not (funcall test)) (< (float-time) end))
      (accept-process-output nil 0.05)
      ;; In batch mode Emacs is never idle, and tells of changes when it is.
      (dolist (one (buffer-list))
        (with-current-buffer one
          (when (bound-and-true-p eglot--managed-mode) (eglot--signal-textDocument/didChange)))))
    (unless (funcall test) (error "Never: %s. Said: %S. Asked: %S" what test-said test-asked))))
(defun test-text (file)
  (if (file-exists-p file) (with-temp-buffer (insert-file-contents file) (buffer-string)) ""))
"""


def emacs_command(*scripts: Path) -> list[str]:
    """Emacs on these scripts, one after the other, with nothing of the user's."""
    elpa = [option for one in sorted(EGLOT[0].parent.iterdir()) if one.is_dir() for option in ("-L", str(one))]
    return ["emacs", "-Q", "--batch", *elpa, *(word for script in scripts for word in ("-l", str(script)))]
