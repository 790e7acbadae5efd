"""A state as bytes: a header that says what they are, the record, a checksum. Nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
import struct
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.errors import StateError
from broodmind.envs.core.game import data_name

if TYPE_CHECKING:
    from broodmind.envs.core.game import Game

MAGIC = b"BROODST1"
DIGEST = 32
_LENGTH = struct.Struct("<I")


@cache
def record_schema(game: Game) -> str:
    """Return a hash of what gives the bytes of a record their meaning: fields, agents and actions."""
    fields = _fields(game.state_dtype)
    schema = [fields, list(game.agents), list(game.actions.names())]
    return hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]


def _fields(dtype: np.dtype[Any]) -> Any:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return [_fields(base), list(shape)]
    if dtype.names is None:
        return dtype.str
    assert dtype.fields is not None
    return [[name, dtype.fields[name][1], _fields(dtype.fields[name][0])] for name in dtype.names]


def pack(game: Game, env_id: str, states: NDArray[np.void], face: dict[str, Any]) -> bytes:
    """Return records as bytes.

    Args:
        game: The game of the states.
        env_id: The environment they belong to.
        states: An array of records.
        face: What the Python face needs beside the records, JSON-able.
    """
    said = {"environment": env_id, "schema": record_schema(game), "count": len(states), "face": face}
    header = json.dumps({**said, "data": game.data_hash} if game.data_hash else said).encode()
    body = MAGIC + _LENGTH.pack(len(header)) + header + states.tobytes()
    return body + hashlib.sha256(body).digest()


def unpack(game: Game, env_id: str, data: bytes, count: int) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """Return the bytes of the records (uint8, shape (count * itemsize,)) and the face of `pack`.

    Args:
        game: The game that the states should be of.
        env_id: The environment that they should belong to.
        data: What `pack` returned.
        count: How many records are expected.

    Raises:
        StateError: The bytes are no state, damaged, or of another environment or version.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise StateError(f"a saved state is bytes, got {type(data).__name__}; use save_state() to make one")
    data = bytes(data)
    start = len(MAGIC) + _LENGTH.size
    if data[: len(MAGIC)] != MAGIC or len(data) < start + DIGEST:
        raise StateError("these bytes are no saved state of broodmind; use save_state() to make one")
    if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise StateError("the saved state is damaged or cut off (its checksum differs); save it again")
    length = _LENGTH.unpack_from(data, len(MAGIC))[0]
    try:
        header = json.loads(data[start : start + length])
        environment, schema, held, face = (header[k] for k in ("environment", "schema", "count", "face"))
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(f"the header of the saved state cannot be read: {error}") from None
    if environment != env_id:
        raise StateError(f"the saved state is of {environment!r}, this environment is {env_id!r}")
    if (made_on := header.get("data", "")) != game.data_hash:
        raise StateError(
            f"the saved state of {env_id!r} is of a game on {data_name(made_on)}, this environment has "
            f"{data_name(game.data_hash)}; make it with the data=FOLDER of that game"
        )
    if schema != record_schema(game):
        raise StateError(f"the saved state of {env_id!r} was made by another version of broodmind")
    if held != count:
        raise StateError(f"the saved state holds {held} games, this environment {count}")
    record = np.frombuffer(data[start + length : -DIGEST], np.uint8)
    if record.size != count * game.state_dtype.itemsize or not isinstance(face, dict):
        raise StateError("the saved state does not hold what its header says; save it again")
    return record, face
