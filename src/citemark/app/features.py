"""What this program is made of: the one list of its kinds of source."""

from citemark.sources.archimate.kind import ARCHIMATE_KIND
from citemark.sources.docs.kind import DOCS_KIND
from citemark.sources.kinds import SourceKinds
from citemark.sources.nextcloud.kind import NEXTCLOUD_KIND

KINDS = SourceKinds((DOCS_KIND, ARCHIMATE_KIND, NEXTCLOUD_KIND))
"""Every kind of source."""
