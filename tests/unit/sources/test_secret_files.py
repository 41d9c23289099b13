"""Which files hold keys and passwords."""

import pytest

from citemark.sources.secret_files import holds_private_key, is_secret_path

KEY = b"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.requirement("secrets-never-indexed")
@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".env.local", "app/.env.production", "prod.env", ".netrc", ".pgpass", "id_rsa", "old/ID_RSA"),
        *("id_ed25519", "deploy_id_rsa", "id_ecdsa_sk", "id_rsa.bak", ".ssh/config", ".aws/credentials", ".gnupg/x"),
        *(".kube/config", "kubeconfig", "prod.kubeconfig", "kubeconfig.yaml", "release.keystore", "site.jks"),
        *("me.p12", "me.PFX", "putty.ppk", "vault.kdbx", "credentials.json", "secrets.yaml", "client_secret_12.json"),
        *("service-account.json", "infra/terraform.tfstate", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd"),
    ],
)
def test_a_name_says_that_a_file_holds_secrets(path: str) -> None:
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    [
        *("secrets.md", "passwords.md", "environment.md", "id_rsa.pub", "docs/credentials.md", "env/notes.md"),
        *("keys.txt", "ssh/config.md", "kube/config.md", "server.pem", "readme.key.md", "aws/credentials.md"),
        *("docs/kubeconfig.md", "the secrets of bread.txt"),
    ],
)
def test_a_text_about_secrets_is_a_document(path: str) -> None:
    assert not is_secret_path(path)


@pytest.mark.requirement("secrets-never-indexed")
@pytest.mark.parametrize(
    ("name", "head", "held"),
    [
        ("server.pem", KEY, True),
        ("server.pem", b"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n" + KEY, True),
        ("server.pem", b"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n", False),
        ("deploy", KEY, True),
        ("note.txt", b"\xef\xbb\xbf\n# the key of the server\n" + KEY, True),
        ("store.txt", b"Bag Attributes\n    friendlyName: me\nKey Attributes: <No Attributes>\n" + KEY, True),
        ("signing.asc", b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n", True),
        ("key.txt", b"PuTTY-User-Key-File-3: ssh-ed25519\n", True),
        ("keys.md", b"# Keys\n\nA key looks like this:\n\n" + KEY, False),
        ("empty.txt", b"", False),
    ],
)
def test_a_private_key_is_known_by_its_content_and_a_text_that_quotes_one_is_none(
    name: str, head: bytes, held: bool
) -> None:
    assert holds_private_key(name, head) is held
