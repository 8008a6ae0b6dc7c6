"""Programs whose rule can vouch for the program, since the options are known; an unknown option is a doubt.

The tables are read from the programs' manuals and help texts: coreutils 9.1, sed 4.9, tar 1.34, make 4.3, wget 1.21,
curl 7.88.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from placet.permissions.shell.inspection import MAY_BECOME_OPTION, Inspection, Words, is_input, may_become_option
from placet.permissions.shell.programs.option_tables import GivenOptions, OptionTable, option_table, read_options
from placet.permissions.shell.programs.reading import PROVED
from placet.permissions.shell.programs.sed_script import sed_doubt
from placet.permissions.shell.words import Word, plain_word

_SPLIT = option_table("""
    -[dxeu] -a= -b= -C= -l= -n= -t=~ --suffix-length= --additional-suffix= --bytes= --line-bytes= --numeric-suffixes?
    --hex-suffixes? --elide-empty-files --filter=! --lines= --number= --separator=~ --unbuffered --verbose --help
    --version
""")
_TEE = option_table("-[aip] --append --ignore-interrupts --output-error? --help --version")
_SED = option_table("""
    -[nErsuz] -e=~ -f=! -i? -l= --quiet --silent --debug --expression=~ --file=! --follow-symlinks --in-place?
    --line-length= --posix --regexp-extended --separate --sandbox --unbuffered --null-data --help --version
""")
_ACTING_AWK = re.compile(r"system|getline|ARGV|ARGC|[>@]|(?<!\|)\|(?!\|)|\|\|\||\\\n|\\\r")
"""Text of a script of awk that may start a program, write a file, or read more than the operands: `system`, `|`,
`getline`, `>`; by `@` gawk loads libraries and calls functions by their names (gawk's manual, 4.10, 5.6, 5.7, 9.1.4,
9.3).
"""
_AWK = option_table("-F=~ -v=~ -f=! --file=! --version --help", ends_at_operand=True)
_TAR = option_table("""
    -[AcdrtuxGnSkUWOmpMBiajJzZhlRvwo] -P! -g=> -C= -T=@ -f= -F=! -L= -b= -H= -V=~ -I=! -K= -N= -X= --catenate
    --concatenate --create --delete --diff --compare --append --test-label --list --update --extract --get
    --check-device --no-check-device --listed-incremental=> --incremental --hole-detection= --ignore-failed-read
    --level= --no-seek --seek --occurrence? --sparse-version= --sparse --add-file= --directory= --exclude=~
    --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore=
    --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs
    --exclude-vcs-ignores --no-null --no-recursion --no-unquote --no-verbatim-files-from --null --recursion
    --files-from=@ --unquote --verbatim-files-from --exclude-from= --anchored --ignore-case --no-anchored
    --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash
    --keep-directory-symlink --keep-newer-files --keep-old-files --no-overwrite-dir --one-top-level? --overwrite
    --overwrite-dir --recursive-unlink --remove-files! --skip-old-files --unlink-first --verify
    --ignore-command-error --no-ignore-command-error --to-stdout --to-command=! --atime-preserve? --clamp-mtime
    --delay-directory-restore --group= --group-map= --mode= --mtime= --touch --no-delay-directory-restore
    --no-same-owner --no-same-permissions --numeric-owner --owner= --owner-map= --preserve-permissions
    --same-permissions --same-owner --sort= --preserve-order --same-order --acls --no-acls --no-selinux --no-xattrs
    --selinux --xattrs --xattrs-exclude=~ --xattrs-include=~ --force-local --file= --info-script=!
    --new-volume-script=! --tape-length= --multi-volume --rmt-command=! --rsh-command=! --volno-file=>
    --blocking-factor= --read-full-records --ignore-zeros --record-size= --format= --old-archive --portability
    --pax-option= --posix --label=~ --auto-compress --use-compress-program=! --bzip2 --xz --lzip --lzma --lzop
    --no-auto-compress --zstd --gzip --gunzip --ungzip --compress --uncompress --backup? --hard-dereference
    --dereference --starting-file= --newer-mtime= --newer= --after-date= --one-file-system --absolute-names!
    --suffix= --strip-components= --transform=~ --xform=~ --checkpoint? --checkpoint-action=! --full-time
    --index-file=> --check-links --no-quote-chars= --quote-chars= --quoting-style= --block-number --show-defaults
    --show-omitted-dirs --show-snapshot-field-ranges --show-transformed-names --show-stored-names --totals? --utc
    --verbose --warning= --interactive --confirmation --help --restrict --usage --version
""")
_MAKE = option_table("""
    -[bmBdehikLnpqrRsStvw] -C= -E=! -f= -I= -j? -l? -o= -O? -W= --always-make --directory= --debug?
    --environment-overrides --eval=! --file= --makefile= --help --ignore-errors --include-dir= --jobs? --keep-going
    --load-average? --max-load? --check-symlink-times --just-print --dry-run --recon --old-file= --assume-old=
    --output-sync? --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet
    --no-silent --no-keep-going --stop --touch --trace --version --print-directory --no-print-directory --what-if=
    --new-file= --assume-new= --warn-undefined-variables --shuffle?
""")
_WGET = option_table("""
    -[VhbdqvFcNSr46xEkKmpHL] -n= -e=! -o=> -a=> -i=@ -t= -O=> -T= -w= -Q= -U=~ -l= -A=~ -R=~ -D= -I=~ -X=~ -B= -P=
    --version --help --background --execute=! --output-file=> --append-output=> --debug --quiet --verbose --no-verbose
    --input-file=@ --force-html --base= --config=! --rejected-log=> --tries= --retry-connrefused --retry-on-http-error=
    --output-document=> --no-clobber --no-netrc --continue --start-pos= --progress= --show-progress --timestamping
    --server-response --spider --timeout= --dns-timeout= --connect-timeout= --read-timeout= --wait= --waitretry=
    --random-wait --no-proxy --quota= --bind-address= --limit-rate= --no-dns-cache --restrict-file-names=
    --ignore-case --inet4-only --inet6-only --prefer-family= --user= --password= --no-iri --local-encoding=
    --remote-encoding= --unlink --no-directories --force-directories --no-host-directories --protocol-directories
    --directory-prefix= --cut-dirs= --http-user= --http-password= --no-cache --default-page= --adjust-extension
    --header=~ --compression= --max-redirect= --proxy-user= --proxy-password= --referer=~ --save-headers
    --user-agent=~ --no-http-keep-alive --no-cookies --load-cookies= --save-cookies=> --keep-session-cookies
    --post-data=~ --post-file= --method= --body-data=~ --body-file= --content-disposition --content-on-error
    --trust-server-names --auth-no-challenge --secure-protocol= --https-only --no-check-certificate --certificate=
    --private-key= --ca-certificate= --ca-directory= --recursive --level= --delete-after --convert-links
    --backup-converted --mirror --page-requisites --accept=~ --reject=~ --accept-regex=~ --reject-regex=~ --domains=
    --exclude-domains= --follow-tags= --ignore-tags= --span-hosts --relative --include-directories=~
    --exclude-directories=~ --no-parent
""")
_CURL = option_table("""
    -[aqfGgI0ik46jlLMnN:ZpRS#s231BvVO] -J! -K=! -E= -C= -b= -c=> -d= -D=> -F= -P= -H= -h? -m= -o=> -x= -U= -Q= -r=
    -e= -X= -Y= -y= -t= -z= -T= -u= -A= -w= --anyauth --append --basic --cert-status --compressed --compressed-ssh
    --create-dirs --crlf --digest --disable --disable-eprt --disable-epsv --disallow-username-in-url --doh-cert-status
    --doh-insecure --fail --fail-early --fail-with-body --false-start --form-escape --ftp-create-dirs --ftp-pasv
    --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-control --get --globoff --haproxy-protocol --head --http0.9
    --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --ignore-content-length --include
    --insecure --ipv4 --ipv6 --junk-session-cookies --list-only --location --location-trusted
    --mail-rcpt-allowfails --manual --negotiate --netrc --netrc-optional --next --no-alpn --no-buffer --no-clobber
    --no-keepalive --no-npn --no-progress-meter --no-sessionid --ntlm --ntlm-wb! --parallel --parallel-immediate
    --path-as-is --post301 --post302 --post303 --progress-bar --proxy-anyauth --proxy-basic --proxy-digest
    --proxy-insecure --proxy-negotiate --proxy-ntlm --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert
    --proxy-tlsv1 --proxytunnel --raw --remote-header-name! --remote-name --remote-name-all! --remote-time
    --remove-on-error --retry-all-errors --retry-connrefused --sasl-ir --show-error --silent --socks5-basic
    --socks5-gssapi --socks5-gssapi-nec --ssl --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd
    --ssl-revoke-best-effort --sslv2 --sslv3 --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay
    --tftp-no-options --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-time --use-ascii --verbose
    --version --xattr --abstract-unix-socket= --alt-svc=> --aws-sigv4= --cacert= --capath= --cert= --cert-type=
    --ciphers= --config=! --connect-timeout= --connect-to= --continue-at= --cookie= --cookie-jar=> --create-file-mode=
    --crlfile= --curves= --data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --delegation=
    --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers= --doh-url= --dump-header=> --egd-file=
    --engine=! --etag-compare= --etag-save=> --expect100-timeout= --form= --form-string= --ftp-account=
    --ftp-alternative-to-user= --ftp-method= --ftp-port= --ftp-ssl-ccc-mode= --happy-eyeballs-timeout-ms= --header=
    --help? --hostpubmd5= --hostpubsha256= --hsts=> --interface= --json= --keepalive-time= --key= --key-type= --krb=
    --libcurl=> --limit-rate= --local-port= --login-options= --mail-auth= --mail-from= --mail-rcpt= --max-filesize=
    --max-redirs= --max-time= --netrc-file= --noproxy= --oauth2-bearer= --output=> --output-dir=! --parallel-max=
    --pass= --pinnedpubkey= --preproxy= --proto= --proto-default= --proto-redir= --proxy= --proxy-cacert=
    --proxy-capath= --proxy-cert= --proxy-cert-type= --proxy-ciphers= --proxy-crlfile= --proxy-header= --proxy-key=
    --proxy-key-type= --proxy-pass= --proxy-pinnedpubkey= --proxy-service-name= --proxy-tls13-ciphers=
    --proxy-tlsauthtype= --proxy-tlspassword= --proxy-tlsuser= --proxy-user= --proxy1.0= --pubkey= --quote=
    --random-file= --range= --rate= --referer= --request= --request-target= --resolve= --retry= --retry-delay=
    --retry-max-time= --sasl-authzid= --service-name= --socks4= --socks4a= --socks5= --socks5-hostname=
    --socks5-gssapi-service= --speed-limit= --speed-time= --stderr=> --telnet-option= --tftp-blksize= --time-cond=
    --tls-max= --tls13-ciphers= --tlsauthtype= --tlspassword= --tlsuser= --trace=> --trace-ascii=> --unix-socket=
    --upload-file= --url= --url-query= --user= --user-agent= --write-out=
""")
_GREPS = ("grep", "egrep", "fgrep", "zgrep", "ggrep")
_PATTERN_UNLESS = {
    **dict.fromkeys(_GREPS, ("-e", "--regexp", "-f", "--file")),
    "rg": ("-e", "--regexp", "-f", "--file", "--files", "--type-list", "--generate", "--pcre2-version"),
}
"""Programs with a pattern as first operand, unless the call gives one of these options."""
_TABLES = {
    **dict.fromkeys(_GREPS, PROVED["grep"]),
    **{program: PROVED[program] for program in ("rg", "sort", "uniq")},
    "split": _SPLIT,
    "tee": _TEE,
    "wget": _WGET,
    "curl": _CURL,
    "tar": _TAR,
    **dict.fromkeys(("make", "gmake"), _MAKE),
    **dict.fromkeys(("sed", "gsed"), _SED),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
}
_HARMLESS_VARIABLE = re.compile(
    r"[A-Za-z_]\w*:?=(\d+|y|n|yes|no|true|false|on|off|debug|release|)|(V|VERBOSE|DESTDIR|PREFIX|prefix)=[\w./~+-]*"
)


def inspect_vouched(program: str, words: Words) -> Inspection | None:
    """Return how far the arguments can be believed, or None if the program has no table."""
    table = _TABLES.get(program)
    if table is None:
        return None
    spelled = _with_dashes(words) if program == "tar" else words
    is_certain = spelled is words and all(word.value is not None for word in words)
    words = spelled
    given = read_options(words, table)
    inspection = _CHECKS.get(program, _by_table)(program, words, given)
    no_paths = inspection.no_paths | {option.at for option in given.with_role("~")}
    return Inspection(
        doubt=_option_doubt(words, given) or inspection.doubt,
        wildcard_doubt=_may_become_doubt(words, given, table),
        writes=(*(option.value for option in given.with_role(">") if option.value is not None), *inspection.writes),
        no_paths=no_paths if is_certain and not given.unknown else frozenset(),
    )


def _option_doubt(words: Words, given: GivenOptions) -> str:
    if given.unknown:
        return f"its option {given.unknown} is not known here"
    for option in given.options:
        if option.option.role == "!":
            return f"{option.name} may run another program or change other files"
        if option.option.role == "@":
            return f"with {option.name} it reads the names of files from a file"
        if words[option.at].value is None:
            return f"what {option.name} is given is known only when it runs"
    return ""


def _may_become_doubt(words: Words, given: GivenOptions, table: OptionTable) -> str:
    if table.is_harmless:
        return ""
    end = given.operands[0] + 1 if table.ends_at_operand and given.operands else given.ended_at
    return MAY_BECOME_OPTION if may_become_option(words, end) else ""


def _by_table(program: str, words: Words, given: GivenOptions) -> Inspection:
    unless = _PATTERN_UNLESS.get(program)
    has_pattern = unless is not None and given.operands and given.named(*unless) is None
    return Inspection(no_paths=frozenset(given.operands[:1]) if has_pattern else frozenset())


def _sed(program: str, words: Words, given: GivenOptions) -> Inspection:
    scripts = [option for option in given.options if option.name in ("-e", "--expression")]
    places = [script.at for script in scripts] or list(given.operands[:1])
    values = [script.value.value if script.value else None for script in scripts] or [words[at].value for at in places]
    files = given.operands if scripts else given.operands[1:]
    in_place = given.named("-i", "--in-place")
    if in_place is not None and values == [""] and files:  # BSD's sed has read `''` as the suffix of `-i`.
        values, places, files = [words[files[0]].value], [*places, files[0]], files[1:]
    doubt = ""
    for value in values:
        doubt = doubt or (_HIDDEN_SCRIPT if value is None else sed_doubt(value))
    if any(words[at].has_wildcard for at in places):
        doubt = doubt or _HIDDEN_SCRIPT
    writes = tuple(words[at] for at in files) if in_place is not None else ()
    suffix = in_place.value.value if in_place is not None and in_place.value is not None else ""
    if suffix and ("/" in suffix or "*" in suffix):
        doubt = doubt or "the suffix of its copies may lead to another directory"
    return Inspection(doubt=doubt, no_paths=frozenset(places), writes=writes)


_HIDDEN_SCRIPT = "its script is known only when it runs"


def _awk(program: str, words: Words, given: GivenOptions) -> Inspection:
    if not given.operands:
        return Inspection()
    script = words[given.operands[0]]
    hidden = script.value is None or script.has_wildcard
    acts = _ACTING_AWK.search(script.value or "")
    doubt = _HIDDEN_SCRIPT if hidden else "its script may run, read or write something else" if acts else ""
    return Inspection(doubt=doubt, no_paths=frozenset(given.operands[:1]))


def _tee(program: str, words: Words, given: GivenOptions) -> Inspection:
    return Inspection(writes=tuple(words[at] for at in given.operands))


def _uniq(program: str, words: Words, given: GivenOptions) -> Inspection:
    """Return the file that uniq writes: the second name, which a wildcard of the first word may find too."""
    if any(words[at].has_wildcard for at in given.operands):
        return Inspection(doubt="which file it writes shows only when it runs")
    return Inspection(writes=tuple(words[at] for at in given.operands[1:]))


def _tar(program: str, words: Words, given: GivenOptions) -> Inspection:
    archives = [
        option.value.value or "" for option in given.options if option.name in ("-f", "--file") and option.value
    ]
    if any(":" in archive for archive in archives) and given.named("--force-local") is None:
        return Inspection(doubt="an archive on another machine is read by another program")
    return Inspection()


def _with_dashes(words: Words) -> Words:
    """Return tar's words with the letters of the first word as options, each followed by the option's value."""
    letters = words[1].value if len(words) > 1 else None
    if not letters or letters.startswith("-"):
        return words
    following = list(words[2:])
    spelled: list[Word] = []
    for letter in letters:
        option = _TAR.options.get(f"-{letter}")
        spelled.append(plain_word(f"-{letter}" if letter.isalnum() else f"--{letters}"))
        if option is not None and option.takes == "=" and following:
            spelled.append(following.pop(0))
    return (words[0], *spelled, *following)


def _make(program: str, words: Words, given: GivenOptions) -> Inspection:
    if any(option.value is not None and is_input(option.value) for option in given.options):
        return Inspection(doubt="it runs what it reads from its input")
    for at in given.operands:
        value = words[at].value or ""
        if "=" in value and not _HARMLESS_VARIABLE.fullmatch(value):
            return Inspection(doubt=f"{value.partition('=')[0]} may name a program that it runs")
    return Inspection()


def _curl(program: str, words: Words, given: GivenOptions) -> Inspection:
    """Return the files that curl writes: with the option `-O`, curl names a file by the last part of an address."""
    outputs = [option.value.value or "" for option in given.with_role(">") if option.value is not None]
    formats = [
        option.value.value or "" for option in given.options if option.name in ("-w", "--write-out") and option.value
    ]
    if any("%output" in text for text in formats) or any(re.search(r"#\d", name) for name in outputs):
        return Inspection(doubt="which file it writes shows only when it runs")
    if given.named("-O", "--remote-name") is None:
        return Inspection()
    addresses = [words[at].value or "" for at in given.operands]
    names = [urlsplit(address).path.rpartition("/")[2] for address in addresses]
    if not names or any(not name or set(name) & set("{}[]%#") for name in names):
        return Inspection(doubt="which file it writes shows only when it runs")
    return Inspection(writes=tuple(plain_word(name) for name in names))


_CHECKS: dict[str, Callable[[str, Words, GivenOptions], Inspection]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("make", "gmake"), _make),
    "tee": _tee,
    "uniq": _uniq,
    "tar": _tar,
    "curl": _curl,
}
