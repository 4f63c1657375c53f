# This file is part of cafwire. See the file LICENSE for license terms.

# Checks that the README shows the program EXAMPLE, which the tests compile and run, to the letter.

file(READ "${README}" text)
file(READ "${EXAMPLE}" program)
string(FIND "${text}" "```cpp\n${program}```" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is: copy the file into the README")
endif()
