"""Emacs with eglot and no plugin of ours: a whole session by the snippet of `placet setup emacs`."""

import json
import shutil
from pathlib import Path

import pytest

from editor_support.place import make_place
from placet.frontends.terminal.editor_texts import EMACS

EGLOT = sorted(Path("/usr/share/emacs/site-lisp/elpa").glob("eglot-*"))
pytestmark = pytest.mark.skipif(
    shutil.which("emacs") is None or not EGLOT, reason="needs Emacs with eglot (Debian: emacs-nox elpa-eglot)"
)

LIBRARY = r"""
(setq make-backup-files nil create-lockfiles nil eglot-sync-connect 60 eglot-connect-timeout 60
      eglot-autoreconnect nil jsonrpc-default-request-timeout 60)
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
  (let ((end (+ (float-time) 60)))
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

JOURNEY = r"""
(find-file "a.txt")
(goto-char (point-max))
(insert "unsaved\n")
(apply #'eglot (eglot--guess-contact))
(test-wait "connected" #'eglot-current-server)

(setq test-answers '("Hunk by hunk" "Keep" "Drop"))
(let ((begun (float-time)))
  (placet-prompt "go")
  (test-note 'seconds (- (float-time) begun)))
(test-wait "half an answer in the chat"
           (lambda () (let ((chat (car (file-expand-wildcards "~/.local/share/placet/chats/*.md"))))
                        (and chat (string-match-p "Half of it\\." (test-text chat))))))
(let ((chat (car (file-expand-wildcards "~/.local/share/placet/chats/*.md"))))
  (test-note 'half (test-text chat))
  (write-region "" nil "../go")
  (test-wait "the end" (lambda () (test-said-p "All of it.")))
  (test-wait "the whole answer" (lambda () (string-match-p "All of it\\.\n\n## You" (test-text chat))))
  (test-note 'chat (test-text chat)))
(test-note 'buffer (buffer-string))
(test-note 'modified (buffer-modified-p))
(test-note 'disk (test-text "a.txt"))
(test-note 'asked (vconcat (reverse test-asked)))

(placet-undo)
(test-wait "undone" (lambda () (test-said-p "restored")))
(test-note 'undone (buffer-string))

(with-temp-file "../seen.json" (insert (json-encode test-seen)))
"""
BASE = "alpha old\n" + "".join(f"line {number}\n" for number in range(9)) + "omega old\n"
EDIT = {
    "call": "edit",
    "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
}


def test_a_session_from_prompt_to_undo(tmp_path: Path) -> None:
    place = make_place(
        tmp_path,
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [EDIT],
        [{"text": "Half of it. "}, {"wait_for_file": str(tmp_path / "go")}, {"text": "All of it."}],
    )
    (place.project / "a.txt").write_text(BASE)
    init, journey = tmp_path / "init.el", tmp_path / "journey.el"
    init.write_text(EMACS.snippet)
    journey.write_text(LIBRARY + JOURNEY)
    elpa = [option for one in sorted(EGLOT[0].parent.iterdir()) if one.is_dir() for option in ("-L", str(one))]
    place.run(["emacs", "-Q", "--batch", *elpa, "-l", str(init), "-l", str(journey)])
    seen = json.loads((tmp_path / "seen.json").read_text())

    unsaved = BASE + "unsaved\n"
    assert seen["buffer"] == unsaved.replace("alpha old", "alpha new"), "the second hunk was dropped"
    assert seen["modified"] is True
    assert seen["disk"] == BASE, "an unsaved buffer is not saved by us"
    assert seen["undone"] == unsaved
    assert "All of it." not in seen["half"]
    assert "- [x] edit" in seen["chat"]
    permission, first, second = seen["asked"]
    assert "-omega old" in permission["prompt"]
    assert permission["choices"][0] == "Allow once"
    assert "1 of 2: a.txt, line 1" in first["prompt"]
    assert "+omega new" in second["prompt"]
