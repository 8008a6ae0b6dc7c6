" A long page of Placet: as much of Markdown as can be told from the lines themselves.
if exists('b:current_syntax')
  finish
endif

syntax match placetPageHeading /^#\{1,6} .*$/
syntax match placetPageQuote /^>.*$/
syntax match placetPageItem /^\s*[-*+] /
syntax match placetPageCode /`[^`]\+`/
syntax match placetPageStrong /\*\*[^*]\+\*\*/
syntax region placetPageBlock start=/^\s*\z(`\{3,}\)[^`]*$/ end=/^\s*\z1\s*$/ keepend
syntax sync minlines=60

highlight default link placetPageHeading @markup.heading
highlight default link placetPageQuote @markup.quote
highlight default link placetPageItem @markup.list
highlight default link placetPageCode @markup.raw
highlight default link placetPageStrong @markup.strong
highlight default link placetPageBlock @markup.raw.block

let b:current_syntax = 'placet-page'
