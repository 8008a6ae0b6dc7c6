"""Emacs with eglot and no plugin of ours: a whole session by the snippet of `placet setup emacs`."""

import json
import shutil
from pathlib import Path

import pytest

from editor_support.emacs import EGLOT, LIBRARY, emacs_command
from editor_support.place import BASE, EDIT, READ, REVIEWS, make_place
from placet.frontends.terminal.setup.editor_texts import EMACS

pytestmark = pytest.mark.skipif(
    shutil.which("emacs") is None or not EGLOT, reason="needs Emacs with eglot (Debian: emacs-nox elpa-eglot)"
)

JOURNEY = r"""
(find-file "a.txt")
(goto-char (point-max))
(insert "unsaved\n")
(apply #'eglot (eglot--guess-contact))
(test-wait "connected" #'eglot-current-server)

(setq test-answers '("Hunk by hunk" "Accept" "Reject"))
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
REVIEW = r"""
(defun test-choose (text title)
  (goto-char (point-min))
  (search-forward text)
  (setq test-answers (list title) last-nonmenu-event t)
  (eglot-code-actions (point) nil nil t))
(defun test-told-p (text)
  ;; jsonrpc.el leaves a message that came together with an awaited answer until the next message.
  (eglot-code-actions (point))
  (test-said-p text))
(find-file "a.txt")
(apply #'eglot (eglot--guess-contact))
(test-wait "connected" #'eglot-current-server)
(placet-prompt "go")
(test-wait "the end" (lambda () (test-said-p "All of it.")))
(test-note 'before (buffer-string))
(test-choose "alpha" (getenv "YES"))
(test-wait "the first decision" (lambda () (test-told-p (getenv "WAS_WRITTEN"))))
(test-choose "omega" (getenv "NO"))
(test-wait "the second decision" (lambda () (test-told-p (getenv "WAS_NOT_WRITTEN"))))
(test-note 'after (buffer-string))
(with-temp-file "../seen.json" (insert (json-encode test-seen)))
"""


def test_a_session_from_prompt_to_undo(tmp_path: Path) -> None:
    place = make_place(
        tmp_path,
        [READ],
        [EDIT],
        [{"text": "Half of it. "}, {"wait_for_file": str(tmp_path / "go")}, {"text": "All of it."}],
    )
    (place.project / "a.txt").write_text(BASE)
    init, journey = tmp_path / "init.el", tmp_path / "journey.el"
    init.write_text(EMACS.snippet)
    journey.write_text(LIBRARY + JOURNEY)
    place.run(emacs_command(init, journey))
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


@pytest.mark.parametrize("mode", REVIEWS)
def test_hunks_are_decided_by_code_actions_in_the_file(mode: str, tmp_path: Path) -> None:
    place, words = make_place(tmp_path, [READ], [EDIT], [{"text": "All of it."}], review=mode), REVIEWS[mode]
    (place.project / "a.txt").write_text(BASE)
    init, journey = tmp_path / "init.el", tmp_path / "journey.el"
    init.write_text(EMACS.snippet)
    journey.write_text(LIBRARY + REVIEW)
    place.run(emacs_command(init, journey), **words.environment)
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen["before"] == words.before
    assert seen["after"] == BASE.replace("alpha old", "alpha new")
