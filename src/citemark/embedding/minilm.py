"""The default embedder: all-MiniLM-L6-v2."""

from collections.abc import Callable
from time import monotonic

import citemark_minilm

from citemark.embedding.document_graphs import MakeDocumentGraph, OnnxDocuments
from citemark.embedding.local_model import LocalModel
from citemark.embedding.model_files import ModelFiles
from citemark.embedding.word_pieces import WordPieces


class MiniLM(LocalModel[WordPieces]):
    """The model that comes with Citemark; its tokenizer measures the passages of every model."""

    def __init__(
        self,
        threads: int = 0,
        files: ModelFiles | None = None,
        seconds: Callable[[], float] = monotonic,
        documents: MakeDocumentGraph = OnnxDocuments,
    ) -> None:
        """Read the manifest.

        Args:
            threads: Cores for one question; 0 means two, or one on a single-core machine.
            files: The model's files, if they are not those of the installed package.
            seconds: A monotonic clock, by which graphs are idle.
            documents: Makes what runs the graph for documents.

        Raises:
            DamagedModel: a file is missing or of the wrong size.
        """
        super().__init__(files or citemark_minilm.files(), WordPieces.load, threads, seconds, documents)
