"""Services to which a test adds its own answers."""

from typing import Any, cast

from citemark.services.answer_keys import ANSWERS
from citemark.services.answers import AnswerService
from citemark.services.bundle import Services
from citemark.services.question_rephrasing import REPHRASING


def put_answers(services: Services, answers: AnswerService) -> None:
    """Have `answers` write, and rephrase if they can, for whoever asks these services."""
    made = cast("Any", services)._made
    made[ANSWERS] = answers
    if hasattr(answers, "rephrasing"):
        made[REPHRASING] = answers.rephrasing
