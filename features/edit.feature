Feature: Edit
  Replaces a text in a file by another. What is not certain is not done.

  Background:
    Given the workspace "/home/user"

  Scenario: Replace single occurrence
    Given a file "/home/user/code.py" with:
      """
      def hello():
          print("Hello")
      """
    When the agent calls Edit with:
      | file_path  | /home/user/code.py |
      | old_string | "Hello"            |
      | new_string | "Hi"               |
    Then the call succeeds
    And the file "/home/user/code.py" has:
      """
      def hello():
          print("Hi")
      """
    And the metadata has:
      | replacements | 1 |

  Scenario: Replace all occurrences
    Given a file "/home/user/code.py" with "foo()\n" 5 times
    When the agent calls Edit with:
      | file_path   | /home/user/code.py |
      | old_string  | foo                |
      | new_string  | bar                |
      | replace_all | true               |
    Then the call succeeds
    And the file "/home/user/code.py" has "bar" 5 times
    And the file "/home/user/code.py" has "foo" 0 times
    And the metadata has:
      | replacements | 5 |

  Scenario: String not found
    Given a file "/home/user/code.py" with "present\n"
    When the agent calls Edit with:
      | file_path  | /home/user/code.py |
      | old_string | nonexistent        |
      | new_string | replacement        |
    Then the call fails
    And the error has "not found"
    And the file "/home/user/code.py" has "present\n"

  Scenario: Non-unique string without replace_all
    Given a file "/home/user/code.py" of 20 lines with "print(1)" on line 5, 10 and 15
    When the agent calls Edit with:
      | file_path  | /home/user/code.py |
      | old_string | print              |
      | new_string | log                |
    Then the call fails
    And the error has "found 3 times"
    And the error has "lines: [5, 10, 15]"
    And the error has "replace_all"
    And the error has "more context"
    And the file "/home/user/code.py" has "print" 3 times

  Scenario: Same old and new string
    Given a file "/home/user/code.py" with "same\n"
    When the agent calls Edit with:
      | file_path  | /home/user/code.py |
      | old_string | same               |
      | new_string | same               |
    Then the call fails
    And the error has "must be different"

  Scenario: Edit file in dry run mode
    # As for Write: the dry run shows the diff and makes no change.
    Given a file "/home/user/code.py" with "original\n"
    And the calls are dry runs
    When the agent calls Edit with:
      | file_path  | /home/user/code.py |
      | old_string | original           |
      | new_string | modified           |
    Then the call succeeds
    And the output has "[Dry Run]"
    And the output has "-original\n+modified"
    And the file "/home/user/code.py" has "original\n"
    And the metadata has:
      | dry_run | true |

  Scenario: Edit non-existent file
    Given nothing at "/home/user/missing.py"
    When the agent calls Edit with:
      | file_path  | /home/user/missing.py |
      | old_string | foo                   |
      | new_string | bar                   |
    Then the call fails
    And the error has "File not found"

  Scenario: Edit with whitespace preservation
    Given a file "/home/user/code.py" with "if x:\r\n\tif y:\r\n\t\treturn  1  \r\n\treturn 2\r\n"
    When the agent calls Edit with:
      """
      {"file_path": "/home/user/code.py", "old_string": "\t\treturn  1", "new_string": "\t\treturn  3\n\t\tpass"}
      """
    Then the call succeeds
    # The blanks after the text, the tabs before it and every line's ending are as they were; the new line has the file's ending.
    And the file "/home/user/code.py" has "if x:\r\n\tif y:\r\n\t\treturn  3\r\n\t\tpass  \r\n\treturn 2\r\n"
