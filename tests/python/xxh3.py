# This file is part of cafwire. See the file LICENSE for license terms.

"""XXH3 with 64 bits and seed 0, which fingerprints of schemas are made with. Follows the
specification of xxHash (github.com/Cyan4973/xxHash)."""

import struct

_MASK = (1 << 64) - 1

_PRIME32_1 = 0x9E3779B1
_PRIME32_2 = 0x85EBCA77
_PRIME32_3 = 0xC2B2AE3D
_PRIME64_1 = 0x9E3779B185EBCA87
_PRIME64_2 = 0xC2B2AE3D27D4EB4F
_PRIME64_3 = 0x165667B19E3779F9
_PRIME64_4 = 0x85EBCA77C2B2AE63
_PRIME64_5 = 0x27D4EB2F165667C5
_PRIME_MX1 = 0x165667919E3779F9
_PRIME_MX2 = 0x9FB21C651E98DF25

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def _u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def _u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def _rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & _MASK


def _fold(x, y):
    product = x * y
    return (product ^ product >> 64) & _MASK


def _avalanche(h):
    h ^= h >> 37
    h = h * _PRIME_MX1 & _MASK
    return h ^ h >> 32


def _avalanche_of_xxh64(h):
    h ^= h >> 33
    h = h * _PRIME64_2 & _MASK
    h ^= h >> 29
    h = h * _PRIME64_3 & _MASK
    return h ^ h >> 32


def _mix16(data, at, secret_at):
    return _fold(_u64(data, at) ^ _u64(_SECRET, secret_at),
                 _u64(data, at + 8) ^ _u64(_SECRET, secret_at + 8))


def _up_to_16(data):
    n = len(data)
    if n > 8:
        low = _u64(data, 0) ^ _u64(_SECRET, 24) ^ _u64(_SECRET, 32)
        high = _u64(data, n - 8) ^ _u64(_SECRET, 40) ^ _u64(_SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche((n + swapped + high + _fold(low, high)) & _MASK)
    if n > 3:
        h = _u32(data, n - 4) + (_u32(data, 0) << 32) ^ _u64(_SECRET, 8) ^ _u64(_SECRET, 16)
        h ^= _rotate(h, 49) ^ _rotate(h, 24)
        h = h * _PRIME_MX2 & _MASK
        h ^= (h >> 35) + n
        h = h * _PRIME_MX2 & _MASK
        return h ^ h >> 28
    if n > 0:
        combined = data[0] << 16 | data[n // 2] << 24 | data[n - 1] | n << 8
        return _avalanche_of_xxh64(combined ^ _u32(_SECRET, 0) ^ _u32(_SECRET, 4))
    return _avalanche_of_xxh64(_u64(_SECRET, 56) ^ _u64(_SECRET, 64))


def _up_to_240(data):
    n = len(data)
    h = n * _PRIME64_1
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            h += _mix16(data, 16 * i, 32 * i) + _mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return _avalanche(h & _MASK)
    for i in range(8):
        h += _mix16(data, 16 * i, 16 * i)
    h = _avalanche(h & _MASK)
    for i in range(8, n // 16):
        h += _mix16(data, 16 * i, 16 * (i - 8) + 3)
    return _avalanche(h + _mix16(data, n - 16, 119) & _MASK)


def _long(data):
    lanes = [_PRIME32_3, _PRIME64_1, _PRIME64_2, _PRIME64_3,
             _PRIME64_4, _PRIME32_2, _PRIME64_5, _PRIME32_1]

    def accumulate(at, secret_at):
        for i in range(8):
            value = _u64(data, at + 8 * i)
            key = value ^ _u64(_SECRET, secret_at + 8 * i)
            lanes[i ^ 1] = lanes[i ^ 1] + value & _MASK
            lanes[i] = lanes[i] + (key & 0xFFFFFFFF) * (key >> 32) & _MASK

    n = len(data)
    stripes = (n - 1) // 64
    for stripe in range(stripes):
        accumulate(64 * stripe, 8 * (stripe % 16))
        # A block of 16 stripes is complete, and bytes of another one follow.
        if stripe % 16 == 15:
            for i in range(8):
                lane = lanes[i] ^ lanes[i] >> 47 ^ _u64(_SECRET, 128 + 8 * i)
                lanes[i] = lane * _PRIME32_1 & _MASK
    accumulate(n - 64, 121)
    h = n * _PRIME64_1
    for i in range(4):
        h += _fold(lanes[2 * i] ^ _u64(_SECRET, 11 + 16 * i),
                   lanes[2 * i + 1] ^ _u64(_SECRET, 19 + 16 * i))
    return _avalanche(h & _MASK)


def xxh3(data):
    """Returns the hash of some bytes as an integer."""
    if len(data) <= 16:
        return _up_to_16(data)
    if len(data) <= 240:
        return _up_to_240(data)
    return _long(data)
