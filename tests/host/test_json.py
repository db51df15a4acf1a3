"""The firmware's JSON code, built for the host, against Python's own ``json``."""

import codecs
import json
import struct
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.conftest import Compile

DEPTH_MAX = 16  # json_reader.h
INT64 = range(-(2**63), 2**63)


class Harness:
    """The C code behind a pipe; see json_harness.c for the requests."""

    def __init__(self, executable: Path, log: Path) -> None:
        self._log = log
        self._process = subprocess.Popen(
            [executable],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("wb"),
        )

    def ask(self, letter: str, payload: bytes) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(letter.encode() + struct.pack("=I", len(payload)) + payload)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the C code died of {payload!r}:\n{self._log.read_text()}"
        return answer.decode().removesuffix("\n")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait() == 0, self._log.read_text()


@pytest.fixture(scope="session")
def harness(
    compile_harness: Compile, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harness]:
    log = tmp_path_factory.mktemp("json") / "stderr"
    started = Harness(compile_harness("json_harness", "json_io"), log)
    yield started
    started.close()


def _expected_number(text: str) -> int | str:
    """What json_harness.c writes for a number, by exact decimal arithmetic."""
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits)).rstrip("0")
    power = exponent + len(digits) - len(significant)
    if not significant.strip("0"):
        return 0
    if power < 0:
        return f"fraction:{text}"
    value = int(significant) * 10 ** min(power, 30) * (-1 if sign else 1)
    return value if value in INT64 else f"range:{text}"


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are Python's, not JSON's


def _object(members: list[tuple[str, Any]]) -> tuple[str, list[tuple[str, Any]]]:
    return "object", members  # unlike a dict it keeps repeated names


def _depth(value: Any) -> int:
    if isinstance(value, tuple):
        return 1 + max((_depth(member) for _, member in value[1]), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _is_unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _agrees(harness: Harness, text: bytes) -> None:
    """Accepted and understood by both, or refused by both."""
    answer = harness.ask("p", text)
    try:
        expected = json.loads(
            text.decode(),
            object_pairs_hook=_object,
            parse_int=_expected_number,
            parse_float=_expected_number,
            parse_constant=_refuse_constant,
        )
    except ValueError:
        assert answer in {"syntax", "unicode", "depth"}
        return
    if not _is_unicode(expected):  # half a surrogate pair, which Python lets pass
        assert answer in {"unicode", "depth"}
    elif _depth(expected) > DEPTH_MAX:
        assert answer == "depth"
    else:
        assert json.loads(answer, object_pairs_hook=_object) == expected


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)
DOCUMENTS = st.builds(
    lambda value, ascii_only, indent: json.dumps(
        value, ensure_ascii=ascii_only, indent=indent
    ).encode(),
    VALUES,
    st.booleans(),
    st.sampled_from([None, 0, 1, "\t"]),
)
NESTED = st.lists(st.booleans(), min_size=14, max_size=18).map(
    lambda kinds: (
        "".join('{"a":' if kind else "[" for kind in kinds)
        + "1"
        + "".join("}" if kind else "]" for kind in reversed(kinds))
    )
)
NUMBERS = st.from_regex(r"\A-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,3})?\Z")


@given(document=DOCUMENTS)
def test_a_document_is_understood_and_written_as_python_does(
    harness: Harness, document: bytes
) -> None:
    _agrees(harness, document)


@given(data=st.data(), document=DOCUMENTS)
@settings(max_examples=400)
def test_a_damaged_document_never_gets_past_the_reader(
    harness: Harness, data: st.DataObject, document: bytes
) -> None:
    at = data.draw(st.integers(0, len(document)))
    removed = data.draw(st.integers(0, 3))
    inserted = data.draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\\u", b"\\ud800", b"}"]))
    _agrees(harness, document[:at] + inserted + document[at + removed :])


@given(soup=st.text('{}[]",:\\u0dD8ce1-+.tfn \x00é', max_size=40))
@settings(max_examples=1000)
def test_json_shaped_noise_is_judged_as_python_judges_it(harness: Harness, soup: str) -> None:
    _agrees(harness, soup.encode())


@pytest.mark.parametrize(
    "character",
    ["\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"],
)
def test_the_first_and_last_characters_of_each_length(harness: Harness, character: str) -> None:
    _agrees(harness, json.dumps(character, ensure_ascii=False).encode())
    _agrees(harness, json.dumps(character).encode())


@given(nested=NESTED)
def test_nesting_is_limited_to_sixteen_levels(harness: Harness, nested: str) -> None:
    _agrees(harness, nested.encode())


@given(noise=st.binary(max_size=60))
def test_bytes_are_harmless(harness: Harness, noise: bytes) -> None:
    _agrees(harness, noise)


@given(number=NUMBERS)
@settings(max_examples=400)
def test_a_number_is_an_integer_when_its_value_is_one(harness: Harness, number: str) -> None:
    assert json.loads(harness.ask("p", number.encode())) == _expected_number(number)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", "range:9223372036854775808"),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", "range:-9223372036854775809"),
        ("922337203685477580.7e1", 2**63 - 1),
        ("60.0", 60),
        ("6e1", 60),
        ("0.6E+2", 60),
        ("6000e-2", 60),
        ("60.5", "fraction:60.5"),
        ("1e-99999999999999999999", "fraction:1e-99999999999999999999"),
        ("1e99999999999999999999", "range:1e99999999999999999999"),
        ("0e99999999999999999999", 0),
        ("-0", 0),
        ("100000000000000000000.5", "fraction:100000000000000000000.5"),
    ],
)
def test_numbers_at_the_edges(harness: Harness, number: str, expected: int | str) -> None:
    assert json.loads(harness.ask("p", number.encode())) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", "syntax"),
        (b" ", "syntax"),
        (b"[1,]", "syntax"),
        (b'{"a"}', "syntax"),
        (b'{"a":1,}', "syntax"),
        (b"[}", "syntax"),
        (b'{"a":1]', "syntax"),
        (b"1 2", "syntax"),
        (b"01", "syntax"),
        (b"+1", "syntax"),
        (b"1.", "syntax"),
        (b".5", "syntax"),
        (b"1e", "syntax"),
        (b"tru", "syntax"),
        (b"nullx", "syntax"),
        (b'"a', "syntax"),
        (b'"\\', "syntax"),
        (b'"\\x"', "syntax"),
        (b'"\\u12', "syntax"),
        (b'"\\u00g0"', "syntax"),
        (b'"\x00"', "syntax"),
        (b"\xef\xbb\xbf1", "syntax"),
        (b'"\\ud800"', "unicode"),
        (b'"\\udc00"', "unicode"),
        (b'"\\ud800\\u0041"', "unicode"),
        (b'"\xff"', "unicode"),
        (b'"\xc0\xaf"', "unicode"),  # "/" in two bytes
        (b'"\xe0\x9f\xbf"', "unicode"),  # U+07FF in three bytes
        (b'"\xf0\x8f\xbf\xbf"', "unicode"),  # U+FFFF in four bytes
        (b'"\xed\xa0\x80"', "unicode"),  # U+D800
        (b'"\xf4\x90\x80\x80"', "unicode"),  # U+110000
        (b'"\xf5\x80\x80\x80"', "unicode"),
        (b'"\x80"', "unicode"),
        (b'"\xe2\x82', "unicode"),
        (b"[" * 17 + b"]" * 17, "depth"),
        (b'{"a":' * 4000, "depth"),
    ],
)
def test_what_is_not_json_is_named(harness: Harness, text: bytes, error: str) -> None:
    assert harness.ask("p", text) == error


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ('{"a":1}', "1"),
        ('{"b":{"a":1},"a":[2]}', "[2]"),
        ('{"a":1,"a":2}', "2"),  # the last one, as in Python
        ('{"\\u0061":3}', "3"),
        ('{"ab":1,"":2}', "absent"),
        ("{}", "absent"),
        ('["a",1]', "absent"),
        ('"a"', "absent"),
    ],
)
def test_a_member_is_found_by_its_name(harness: Harness, text: str, member: str) -> None:
    assert harness.ask("m", text.encode()) == member


@given(text=TEXT, capacity=st.integers(1, 40), ascii_only=st.booleans())
def test_a_copy_is_cut_between_characters(
    harness: Harness, text: str, capacity: int, ascii_only: bool
) -> None:
    whole = text
    while len(text.encode()) >= capacity:
        text = text[:-1]
    document = json.dumps(whole, ensure_ascii=ascii_only)
    compared, _, copy = harness.ask("c", f"{capacity},{document}".encode()).partition(" ")
    assert json.loads(copy) == text
    # As C text the copy ends at its first NUL.
    assert compared == ("equal" if text.partition("\0")[0] == whole else "different")


def _replace_each_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("replace-each-byte", _replace_each_byte)


@given(raw=st.binary(max_size=40) | TEXT.map(str.encode))
@settings(max_examples=400)
def test_any_bytes_are_written_as_a_valid_string(harness: Harness, raw: bytes) -> None:
    assert json.loads(harness.ask("s", raw)) == raw.decode(errors="replace-each-byte")
