"""Language features of a front door: the editor, then Placet's own servers, then names alone."""

from collections.abc import Sequence
from pathlib import Path

from placet.core.ports import Documents, LanguageFeatures
from placet.languages.chain import FeatureChain
from placet.languages.servers.own import OwnServers
from placet.languages.syntax_features import SyntaxFeatures


def language_features(
    documents: Documents, roots: Sequence[Path], servers: OwnServers, editor: LanguageFeatures | None = None
) -> LanguageFeatures:
    """Return features that send each question to the first provider with an answer."""
    providers: list[LanguageFeatures] = [] if editor is None else [editor]
    return FeatureChain([*providers, servers, SyntaxFeatures(documents, roots)])
