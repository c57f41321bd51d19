"""How the worker answers a request."""

from inspect import isfunction

import msgspec

from desktop.knowledge.worker.main import _argument_types
from desktop.knowledge.worker.service import WorkerService


def test_the_arguments_of_every_handler_are_decoded_by_its_signature():
    handlers = [
        value for name, value in vars(WorkerService).items() if isfunction(value) and name.strip("_") == name
    ]
    decoders = {handler.__name__: msgspec.msgpack.Decoder(_argument_types(handler)) for handler in handlers}
    sent = msgspec.msgpack.encode(["id", "title", ".txt", b"body"])
    assert decoders["put_fetched"].decode(sent) == ("id", "title", ".txt", b"body")
    assert decoders["status"].decode(msgspec.msgpack.encode([])) == ()
    assert len(decoders) > 40
