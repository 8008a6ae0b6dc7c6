"""What is taken for a secret, by name and by shape."""

from corpus_support import corpus
from placet.project.processes.environment import Secrets, secrets_in, without_secrets

SHAPED = "sk-proj-" + "a1" * 20


@corpus(
    "name",
    [
        *("OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"),
        *("HF_TOKEN", "WX_ZENAPIKEY", "SNOWFLAKE_JWT", "GOOGLE_APPLICATION_CREDENTIALS", "GITHUB_PAT", "PGPASSWORD"),
        *("DB_PASS", "SSHPASS", "SESSION_COOKIE", "AUTHORIZATION", "KUBE_BEARER", "SLACK_WEBHOOK_URL", "DBPWD"),
        *("AZURE_STORAGE_CONNECTION_STRING", "MONGO_CONNSTR", "SMTP_CREDS", "MYSQL_PASS_FILE", "AUTH_SALT"),
        *("SSH_PRIVATEKEY", "WALLET_MNEMONIC", "JWKS_KEYS", "API_TOKENS", "DOCKER_AUTH", "ADMIN_PASSCODE"),
        *("AZURE_PASSWORD", "MYSQL_PWD", "SENTRY_DSN", "npm_config__auth", "AICORE_CLIENT_SECRET", "OCI_KEY"),
    ],
)
def test_secret_names_are_kept_from_commands(name: str) -> None:
    assert without_secrets({name: "x"}) == {}
    assert secrets_in({name: "x"}) == {name: "x"}


@corpus(
    "value",
    [
        SHAPED,
        f"export {SHAPED}",
        "gsk_" + "a1" * 20,
        "AIza" + "b" * 35,
        "ghp_" + "c" * 36,
        "postgres://ada:love@db/x",
        "-----BEGIN RSA PRIVATE KEY-----\nMII",
        "AccountName=a;AccountKey=" + "d" * 20,
        "Server=db;User Id=sa;Password=hunter22;",
        "host=db user=ada password=hunter22 sslmode=require",
        "https://example.com/hook?token=" + "e" * 20,
        "https://store.blob.core.windows.net/c?sv=2024&sig=" + "f" * 20,
        "https://hooks.slack.com/services/T/B/X",
        "https://discord.com/api/webhooks/1/x",
        "https://" + "a1" * 16 + "@git.example.com/x.git",
        "Bearer " + "g" * 20,
        "Authorization: Basic " + "aGk6aG8=" * 2,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
        "glpat-" + "h" * 20,
        "npm_" + "i" * 36,
        "sk_live_" + "j" * 24,
        "hvs." + "k" * 24,
    ],
)
def test_a_value_that_looks_like_a_key_is_kept_from_commands_whatever_its_name(value: str) -> None:
    assert without_secrets({"MINE": value}) == {}


@corpus(
    ("name", "value"),
    [
        ("PATH", "/usr/bin:/bin"),
        ("PWD", "/home/ada"),
        ("OLDPWD", "/"),
        ("XAUTHORITY", "/run/x"),
        ("SSH_AUTH_SOCK", "/run/ssh"),
        ("HTTPS_PROXY", "http://ada:love@proxy:3128"),
        ("KEYBOARD", "us"),
        ("AUTHOR", "Ada"),
        ("OPENAI_API_BASE", "http://127.0.0.1:1/v1"),
        ("GREETING", "ask-me-anything-you-like-today"),
        ("SSH_ASKPASS", "/usr/bin/ksshaskpass"),
        ("COMPASS", "north"),
        ("PYTHONHASHSEED", "1"),
        ("RANDOM_SEED", "1"),
        ("XDG_SESSION_ID", "3"),
        ("SESSION_MANAGER", "local/host:@/tmp/.ICE-unix/1"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus,guid=0a"),
        ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
        ("CFLAGS", "-O2 -DTOKENS=4"),
        ("MAVEN_OPTS", "-Xmx1g -Dtokens=many"),
        ("DATABASE_URL", "postgres://localhost/x?sslmode=require"),
        ("GOFLAGS", "-mod=vendor"),
        ("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring"),
    ],
)
def test_what_commands_need_stays(name: str, value: str) -> None:
    assert without_secrets({name: value}) == {name: value}


def test_secrets_show_only_their_names() -> None:
    assert f"{Secrets(A_KEY=SHAPED)} {Secrets(A_KEY=SHAPED)!r}" == "<secrets: A_KEY> <secrets: A_KEY>"
