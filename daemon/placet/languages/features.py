"""The language features of a front door: the editor, then Placet's own servers, then names alone."""

import os
from collections.abc import Sequence
from pathlib import Path

from placet.languages.chain import FeatureChain
from placet.languages.servers.features import ServerFeatures
from placet.languages.servers.pool import ServerPool
from placet.languages.syntax_features import SyntaxFeatures
from placet.ports import Documents, LanguageFeatures
from placet.project.environment import without_secrets
from placet.settings import Settings


def language_features(
    documents: Documents, roots: Sequence[Path], settings: Settings, editor: LanguageFeatures | None = None
) -> LanguageFeatures:
    """Each question goes to the first of them that knows; own servers only where the settings have them."""
    providers: list[LanguageFeatures] = [] if editor is None else [editor]
    if settings.languages.own:
        pool = ServerPool(settings.languages, roots, without_secrets(os.environ))
        providers.append(ServerFeatures(documents, pool))
    return FeatureChain([*providers, SyntaxFeatures(documents, roots)])
