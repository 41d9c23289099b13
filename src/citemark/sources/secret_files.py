"""Files that hold keys and passwords: they are never indexed, whatever the settings of a source ask for.

A name decides where it is conventional (`id_rsa`, `.env`, `.aws/credentials`), the first bytes where a name is shared
with harmless files: a `.pem` file may hold a certificate, which is public.
"""

import re

_FOLDERS = frozenset({".ssh", ".gnupg", ".password-store"})
"""Folders that hold nothing but keys and passwords."""

_BY_FOLDER = frozenset(
    {
        (".aws", "credentials"),
        (".docker", "config.json"),
        (".kube", "config"),
        ("gh", "hosts.yml"),
        (".cargo", "credentials.toml"),
    }
)
"""Files whose names mean credentials only in the folder of their program."""

_NAMES = frozenset(
    {
        *(".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".npmrc", ".pypirc"),
        *(".git-credentials", ".htpasswd", "htpasswd", ".dockercfg", ".s3cfg", ".boto", ".vault-token"),
        *(".terraformrc", "terraform.rc", "kubeconfig", "secring.gpg", "master.key", "credentials", ".credentials"),
        *("application_default_credentials.json", "terraform.tfstate", "terraform.tfstate.backup", ".secrets"),
    }
)

_PATTERNS = re.compile(
    r"""
      \.env.* | .+\.env                       # environment files: .env, .env.local, prod.env
    | (?:.+[_-])? id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)? (?:[._-](?!pub$).*)?
    | .+\.(?:ppk|p12|pfx|jks|jceks|keystore|bcfks|kdb|kdbx|agilekeychain|opvault|pkcs12|kubeconfig)
    | (?:kube[._-]?config|.+[._-]kubeconfig)(?:\.ya?ml)?
    | (?:credentials?|secrets?)\.(?:json|ya?ml|toml|ini|cfg|conf|properties|xml|txt|csv|enc)
    | (?:client[_-]secret|service[_-]?account).*\.json
    | .+\.tfstate(?:\.backup)?
    """,
    re.VERBOSE | re.IGNORECASE,
)

_PUBLIC = ".pub"

_KEY_SUFFIXES = (".pem", ".key", ".p8", ".pk8", ".der", ".asc", ".gpg", ".pgp", ".crt", ".cer", ".priv")
"""Suffixes shared by private keys and public certificates; the content tells them apart."""

_PRIVATE = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
_PREAMBLE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t]+[A-Za-z][^\n]*\n|Bag Attributes[^\n]*\n|Key Attributes[^\n]*\n|#[^\n]*\n|\s)*+"
)
"""What may come before a key in a file that holds nothing else: attributes, comments and empty lines."""

SNIFFED = 16_384
"""Bytes at the beginning of a file in which a private key is looked for: a chain of certificates may come first."""

REFUSAL = "The file holds a private key. Secrets are never indexed; --exclude keeps it from being reported."


def is_secret_path(path: str) -> bool:
    """Tell whether the file at a relative path is a secret by its name or by a folder it is in."""
    *folders, name = path.lower().split("/")
    within = folders[-1] if folders else ""
    return is_secret_name(name) or (within, name) in _BY_FOLDER or any(folder in _FOLDERS for folder in folders)


def is_secret_name(name: str) -> bool:
    """Tell whether files of that name hold keys or passwords."""
    name = name.lower()
    return not name.endswith(_PUBLIC) and (name in _NAMES or _PATTERNS.fullmatch(name) is not None)


def is_secret_folder(name: str) -> bool:
    """Tell whether programs keep credentials in folders of that name."""
    return name.lower() in _FOLDERS


def may_hold_key(name: str) -> bool:
    """Tell whether the content has to be looked at, since keys and certificates share the suffix."""
    return name.lower().endswith(_KEY_SUFFIXES)


def holds_private_key(name: str, head: bytes) -> bool:
    """Tell whether a file is a private key.

    A document that quotes one among its text is none, except with a suffix of keys, where any block counts.

    Args:
        name: the name of the file.
        head: its first `SNIFFED` bytes, or all of it.
    """
    if may_hold_key(name):
        return _PRIVATE.search(head[:SNIFFED]) is not None
    start = _PREAMBLE.match(head[:SNIFFED])
    return _PRIVATE.match(head, start.end() if start else 0) is not None
