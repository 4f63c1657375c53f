# This file is part of cafwire. See the file LICENSE for license terms.

@0xd1a8c6f3e5b29704;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cafwire::bench::cp");

struct Struct12 {
  a @0 :Int32;
  b @1 :Int32;
  c @2 :Int32;
}

struct Mixed {
  id @0 :Int64;
  weight @1 :Float64;
  kind @2 :UInt8;
  count @3 :Int32;
  position0 @4 :Float32;
  position1 @5 :Float32;
  position2 @6 :Float32;
  position3 @7 :Float32;
  active @8 :Bool;
}

# Lists of numbers are copied one by one, blobs as a block: matrices are a blob.
struct Bytes {
  values @0 :Data;
}

enum Color {
  red @0;
  green @1;
  blue @2;
}

struct Tag {
  key @0 :Text;
  value @1 :Int32;
}

struct Object {
  id @0 :UInt64;
  name @1 :Text;
  weight @2 :Float64;
  numbers @3 :List(Int32);
  note @4 :Text;
  tags @5 :List(Tag);
  paint @6 :Color;
}

struct Objects {
  values @0 :List(Object);
}

struct Strings {
  values @0 :List(Text);
}

struct Entry {
  key @0 :Text;
  value @1 :Float64;
}

struct StringMap {
  values @0 :List(Entry);
}

struct Bools {
  values @0 :List(Bool);
}

struct Numbers {
  values @0 :List(Int32);
}

struct Sample {
  id @0 :UInt64;
  value @1 :Float64;
  flags @2 :UInt32;
}

struct Note {
  id @0 :UInt32;
  text @1 :Text;
}
