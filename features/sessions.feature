Feature: Sessions
  In a session a file is read before it is changed, so that nothing is lost that nobody has seen. Whether a file changed since
  is decided by what it holds, never by its time.

  Background:
    Given the workspace "/home/user"
    And a file "/home/user/a.txt" with "one\ntwo\n"
    And the session "s1"

  Scenario Outline: A file that exists must have been read
    When the agent calls <tool> with <parameters>
    Then the call fails
    And the error is "File has not been read in this session: /home/user/a.txt"
    And the hint has "read it first"
    And the file "/home/user/a.txt" has "one\ntwo\n"

    Examples:
      | tool       | parameters                                                                                    |
      | Write      | {"file_path": "/home/user/a.txt", "content": "x"}                                             |
      | Edit       | {"file_path": "/home/user/a.txt", "old_string": "one", "new_string": "1"}                     |
      | MultiEdit  | {"file_path": "/home/user/a.txt", "edits": [{"old_string": "one", "new_string": "1"}]}        |

  Scenario: A read of a part is not enough to replace the whole
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | limit     | 1                |
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call fails
    And the error is "Only a part of the file has been read in this session: /home/user/a.txt (not seen: lines 2 of 2)"
    And the hint has "read the rest"
    And the file "/home/user/a.txt" has "one\ntwo\n"
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | offset    | 2                |
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call succeeds
    And the file "/home/user/a.txt" has "new"

  Scenario Outline: A read of a part is enough to change a part
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | limit     | 1                |
    And the agent calls <tool> with <parameters>
    Then the call succeeds

    Examples:
      | tool       | parameters                                                                                    |
      | Edit       | {"file_path": "/home/user/a.txt", "old_string": "two", "new_string": "2"}                     |
      | MultiEdit  | {"file_path": "/home/user/a.txt", "edits": [{"old_string": "two", "new_string": "2"}]}        |
      | ApplyPatch | {"patch_text": "--- a/a.txt\\n+++ b/a.txt\\n@@ -1,2 +1,2 @@\\n one\\n-two\\n+2\\n"}                 |

  Scenario: The session's own write counts as having read it
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call succeeds
    When the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | newer            |
    Then the call succeeds
    And the file "/home/user/a.txt" has "newer"

  Scenario: What another session has read does not count
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Given the session "s2"
    When the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call fails
    And the file "/home/user/a.txt" has "one\ntwo\n"

  Scenario: Write does not replace what somebody else saved meanwhile
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    And somebody else saves "one\ntwo\nthree\n" in "/home/user/a.txt"
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call fails
    And the error has "changed since"
    And the file "/home/user/a.txt" has "one\ntwo\nthree\n"

  Scenario: Edit goes on if its place is certain, and says so
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    And somebody else saves "one\ntwo\nthree\n" in "/home/user/a.txt"
    And the agent calls Edit with:
      | file_path  | /home/user/a.txt |
      | old_string | one              |
      | new_string | first            |
    Then the call succeeds
    And the metadata has:
      | changed_since_read | true |
    And the file "/home/user/a.txt" has "first\ntwo\nthree\n"

  Scenario: A file that was saved without a change has not changed
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    And somebody else saves "one\ntwo\n" in "/home/user/a.txt"
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call succeeds

  Scenario: The user can turn it off
    Given the rules:
      """
      read_before_write = false
      """
    When the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then the call succeeds

  Scenario: A file keeps its permissions
    Given "/home/user/a.txt" may be run by all
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    And the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | new              |
    Then "/home/user/a.txt" may still be run by all
