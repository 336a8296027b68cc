"""Protobuf as it passes, by hand: a message is its fields by number, and what they mean the caller knows."""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def pack(*fields):
    """(number, value): an int, a str, bytes, or a list of these; None and [] are left out."""
    out = b""
    for number, value in fields:
        for item in value if isinstance(value, list) else [] if value is None else [value]:
            if isinstance(item, int):
                out += varint(number << 3) + varint(item & 2**64 - 1)
            else:
                item = item.encode() if isinstance(item, str) else item
                out += varint(number << 3 | 2) + varint(len(item)) + item
    return out


def unpack(data):
    """{number: [values]}, an int or bytes each"""
    fields, place = {}, 0

    def number():
        nonlocal place
        result = shift = 0
        while True:
            byte = data[place]
            place += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    while place < len(data):
        tag = number()
        if tag & 7 == 0:
            value = number()
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            size = number()
            value = data[place:place + size]
            assert len(value) == size, "cut short"
            place += size
        fields.setdefault(tag >> 3, []).append(value)
    return fields
