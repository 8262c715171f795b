Feature: Grep
  Finds lines in files, and files by what is in them.

  Background:
    Given the workspace "/home/user"

  Scenario: Search with simple pattern
    Given a file "/home/user/code.py" of 50 lines with "# TODO: fix this bug" on line 42
    When the agent calls Grep with:
      | pattern     | TODO               |
      | path        | /home/user/code.py |
      | output_mode | content            |
    Then the call succeeds
    And the output has "code.py:42"
    And the output has "TODO: fix this bug"

  Scenario: Search case-insensitive
    Given the files:
      | /home/user/a.log | Error here   |
      | /home/user/b.log | ERROR here   |
      | /home/user/c.log | error here   |
      | /home/user/d.log | nothing here |
    When the agent calls Grep with:
      | pattern | error |
      | -i      | true  |
    Then the output has "a.log"
    And the output has "b.log"
    And the output has "c.log"
    And the output does not have "d.log"
    And the metadata has:
      | total_matches | 3 |

  Scenario: Search with context lines
    Given a file "/home/user/notes.txt" of 20 lines with "match_text" on line 10
    When the agent calls Grep with:
      | pattern     | match_text |
      | -B          | 2          |
      | -A          | 2          |
      | output_mode | content    |
    Then the output is:
      """
      /home/user/notes.txt:10
        8: Line 8
        9: Line 9
      > 10: match_text
        11: Line 11
        12: Line 12
      """

  Scenario: Search files_with_matches mode
    # The document leaves the order open. Decided: by relevance; here, the file with more matches first.
    Given the files:
      | /home/user/a.txt | one pattern                |
      | /home/user/b.txt | a pattern, another pattern\npattern |
      | /home/user/c.txt | none                       |
    When the agent calls Grep with:
      | pattern     | pattern            |
      | output_mode | files_with_matches |
    Then the output is:
      """
      /home/user/b.txt
      /home/user/a.txt
      """

  Scenario: Search count mode
    Given the files:
      | /home/user/a.txt | pattern\npattern\npattern |
      | /home/user/b.txt | pattern                   |
    When the agent calls Grep with:
      | pattern     | pattern |
      | output_mode | count   |
    Then the output is:
      """
      /home/user/a.txt: 3
      /home/user/b.txt: 1
      """

  Scenario: Search with file type filter
    Given the files:
      | /home/user/a.py | # function |
      | /home/user/b.js | function   |
      | /home/user/c.ts | function   |
    When the agent calls Grep with:
      | pattern | function |
      | type    | py       |
    Then the output is "/home/user/a.py"
    And the metadata has:
      | files_searched | 1 |

  Scenario: Search with glob filter
    Given the files:
      | /home/user/src/App.tsx | import React |
      | /home/user/src/app.ts  | import x     |
      | /home/user/a.py        | import y     |
    When the agent calls Grep with:
      | pattern | import |
      | glob    | *.tsx  |
    Then the output is "/home/user/src/App.tsx"
    And the metadata has:
      | files_searched | 1 |

  Scenario: Search with regex pattern
    Given a file "/home/user/code.py" with:
      """
      def no_parameters():
          pass
      undefined = 1
      def two(a, b=(1)[0:1]):
      class C:
          def method(self):
              return self.method()
      """
    When the agent calls Grep with:
      | pattern     | def \\w+\\([^)]*\\): |
      | output_mode | content              |
      | -C          | 0                    |
    Then the output is:
      """
      /home/user/code.py
      1: def no_parameters():
      6:     def method(self):
      """

  Scenario: Search with invalid regex
    When the agent calls Grep with:
      | pattern | [invalid(regex |
    Then the call fails
    And the error has "Invalid regex pattern"

  Scenario: Search with multiline mode
    Given a file "/home/user/text.txt" with:
      """
      before
      the start of it
      the middle
      the end of it
      after
      """
    When the agent calls Grep with:
      | pattern     | start.*end |
      | multiline   | true       |
      | output_mode | content    |
      | -C          | 0          |
    Then the output is:
      """
      /home/user/text.txt
      2: the start of it
      3: the middle
      4: the end of it
      """
    When the agent calls Grep with:
      | pattern | start.*end |
    Then the output is "No matches found"

  Scenario: Search with pagination
    Given 50 files "/home/user/src/module#.py" with "# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n# TODO\n"
    When the agent calls Grep with:
      | pattern     | TODO    |
      | head_limit  | 20      |
      | offset      | 0       |
      | output_mode | content |
    Then the output has "# TODO" 20 times
    And the metadata has:
      | total_matches    | 500 |
      | returned_matches | 20  |

  Scenario: Search no matches found
    Given a file "/home/user/code.py" with "print(1)\n"
    When the agent calls Grep with:
      | pattern | xyznonexistent |
    Then the call succeeds
    And the output is "No matches found"
    And the metadata has:
      | total_matches | 0 |

  Scenario: Search binary files skipped
    # Decided: nothing is skipped in silence.
    Given a file "/home/user/a.txt" with "pattern\n"
    And a file "/home/user/b.bin" with the bytes "70 61 74 74 65 72 6e 00 01 02 70 61 74 74 65 72 6e"
    When the agent calls Grep with:
      | pattern | pattern |
    Then the output is "/home/user/a.txt"
    And the metadata has:
      | files_searched | 1                                                               |
      | skipped        | {"binary": 1, "too_large": 0, "unreadable": 0, "denied": 0} |
