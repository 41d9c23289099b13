"""The key of the service that writes answers."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # only calls that generate load it
    from citemark.services.answers import AnswerService

ANSWERS: ServiceKey["AnswerService"] = ServiceKey("answers")
