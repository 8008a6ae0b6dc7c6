"""Vim with ALE and no plugin of ours, by the snippet of `placet setup vim`, in front of the daemon."""

import shutil
from pathlib import Path

import pytest

from editor_support.place import BASE, EDIT, READ, REVIEWS, Place, make_place
from placet.frontends.terminal.setup.editor_texts import VIM

ALE = Path("/usr/share/vim-ale")
PROGRAM = next((one for name in ("vim.nox", "vim") if (one := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(
    PROGRAM is None or not ALE.is_dir(), reason="needs Vim 9 with ALE (Debian: vim-nox vim-ale)"
)

VIMRC = f"""\
set nocompatible
set runtimepath^={ALE}
set runtimepath^=~/heard
filetype plugin on
let g:ale_linters = {{'text': ['placet']}}
let g:ale_lsp_show_message_severity = 'information'
runtime plugin/ale.vim
"""
HEARD = """\
function! ale#lsp_window#HandleShowMessage(linter, format, params) abort
  call add(g:said, a:params.message)
endfunction
"""
LIBRARY = """\
set nomore shortmess+=A
let g:said = []
function! Wait(what, test) abort
  let l:begun = reltime()
  while reltimefloat(reltime(l:begun)) < str2float($WAIT_SECONDS)
    if a:test()
      return
    endif
    sleep 20m
    silent checktime
  endwhile
  call writefile(['never: ' . a:what] + g:said + getline(1, '$'), '../seen.txt')
  cquit!
endfunction
edit a.txt
setfiletype text
call ale#Queue(0)
PlacetPrompt go
"""
JOURNEY = """\
call Wait('a question', {-> match(g:said, 'placet.answer') >= 0})
call writefile(getline(1, '$'), '../before.txt')
PlacetAnswer once
call Wait('the end', {-> match(g:said, 'All of it') >= 0})
call Wait('the text', {-> getline(1) ==# 'alpha new'})
PlacetUndo
call Wait('the text undone', {-> getline(1) ==# 'alpha old'})
call writefile(g:said, '../seen.txt')
qall!
"""


REVIEW = """\
function! Apply(data, items, title) abort
  for [l:_, l:item] in a:items
    if l:item.title ==# a:title
      call ale#codefix#ApplyLSPCodeAction(a:data, l:item)
    endif
  endfor
endfunction
function! Choose(text, title) abort
  call search(a:text, 'cw')
  call ale#codefix#Execute(0, {data, items -> Apply(data, items, a:title)})
endfunction
call Wait('the end', {-> match(g:said, 'All of it') >= 0})
silent checktime
call writefile(getline(1, '$'), '../before.txt')
call Choose('alpha', $YES)
call Wait('the first decision', {-> match(g:said, $WAS_WRITTEN) >= 0})
silent checktime
call Choose('omega', $NO)
call Wait('the second decision', {-> match(g:said, $WAS_NOT_WRITTEN) >= 0})
silent checktime
call writefile(getline(1, '$'), '../after.txt')
qall!
"""


def play(place: Place, journey_text: str, **variables: str) -> None:
    """Run Vim with ALE through the journey; the words that Vim heard are in the failure."""
    vimrc, journey, seen = (place.root / name for name in ("vimrc", "journey.vim", "seen.txt"))
    vimrc.write_text(VIMRC + VIM.snippet)
    journey.write_text(LIBRARY + journey_text)
    heard = place.home / "heard" / "autoload" / "ale" / "lsp_window.vim"
    heard.parent.mkdir(parents=True)
    heard.write_text(HEARD)
    assert PROGRAM is not None
    try:
        place.run([PROGRAM, "-N", "-u", str(vimrc), "-i", "NONE", "-n", "-es", "-S", str(journey)], **variables)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{seen.read_text() if seen.exists() else ''}") from error


def test_a_prompt_an_answer_and_an_edit(tmp_path: Path) -> None:
    edit = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
    place = make_place(
        tmp_path,
        [READ],
        [edit],
        [{"text": "All of it."}],
    )
    (place.project / "a.txt").write_text("alpha old\n")
    play(place, JOURNEY)
    assert (tmp_path / "before.txt").read_text() == "alpha old\n"
    assert "Allowed: " in (tmp_path / "seen.txt").read_text()


@pytest.mark.parametrize("mode", REVIEWS)
def test_hunks_are_decided_by_code_actions_in_the_file(mode: str, tmp_path: Path) -> None:
    place, words = make_place(tmp_path, [READ], [EDIT], [{"text": "All of it."}], review=mode), REVIEWS[mode]
    (place.project / "a.txt").write_text(BASE)
    play(place, REVIEW, **words.environment)
    assert (tmp_path / "before.txt").read_text() == words.before
    after = BASE.replace("alpha old", "alpha new")
    assert (tmp_path / "after.txt").read_text() == (place.project / "a.txt").read_text() == after
