Feature: Permissions
  A rule says what may be read and changed: allow, ask or deny. Where a rule says ask, a person is asked, for an edit with the
  difference that it would make; an answer can be for once, or for as long as the session lives. Listing and finding need no
  permission.

  Background:
    Given the workspace "/home/user/project" in the ekacode dialect
    And a file "/home/user/project/notes/a.txt" with "one\n"
    And a file "/home/user/project/notes/b.txt" with "one\n"
    And the rules:
      """
      [[rules]]
      kind = "read"
      pattern = "notes/**"
      action = "ask"

      [[rules]]
      kind = "edit"
      pattern = "notes/**"
      action = "ask"

      [[rules]]
      kind = "edit"
      pattern = "frozen/**"
      action = "deny"
      """

  Scenario: Nobody to ask is no
    When the agent calls read with:
      | filePath | notes/a.txt |
    Then the call fails
    And the error has "Permission denied: Cannot read /home/user/project/notes/a.txt"

  Scenario: Asked, and allowed once
    Given the session "s1"
    And the person who is asked says "once"
    When the agent calls read with:
      | filePath | notes/a.txt |
    Then the call succeeds
    And the question had:
      | access     | read                               |
      | paths      | ["/home/user/project/notes/a.txt"] |
      | tool       | read                               |
      | session_id | s1                                 |
    When the agent calls read with:
      | filePath | notes/a.txt |
    Then the call succeeds
    And the person was asked 2 times

  Scenario: An answer for the session is remembered
    Given the session "s1"
    And the person who is asked says "always"
    When the agent calls read with:
      | filePath | notes/a.txt |
    And the agent calls read with:
      | filePath | notes/a.txt |
    Then the call succeeds
    And the person was asked once
    Given the session "s2"
    When the agent calls read with:
      | filePath | notes/a.txt |
    Then the person was asked 2 times

  Scenario: An answer about reading is none about editing
    Given the session "s1"
    And the person who is asked says "always"
    When the agent calls read with:
      | filePath | notes/a.txt |
    And the agent calls edit with:
      | filePath  | notes/a.txt |
      | oldString | one         |
      | newString | two         |
    Then the call succeeds
    And the person was asked 2 times

  Scenario: The person sees what an edit would change
    Given the person who is asked says "once"
    When the agent calls write with:
      """
      {"filePath": "notes/a.txt", "content": "two\n"}
      """
    Then the call succeeds
    And the question had:
      | access | edit  |
      | tool   | write |
    And the diff in the question is:
      """
      --- a/notes/a.txt
      +++ b/notes/a.txt
      @@ -1 +1 @@
      -one
      +two
      """

  Scenario: No is no, and changes nothing
    Given the person who is asked says "not on a Friday"
    When the agent calls write with:
      """
      {"filePath": "notes/a.txt", "content": "two\n"}
      """
    # A diff shows what is there, so reading is asked for first.
    Then the call fails
    And the error has "Permission denied: Cannot read /home/user/project/notes/a.txt"
    And the error has "not on a Friday"
    And the file "/home/user/project/notes/a.txt" has "one\n"

  Scenario: Several edits of one call are one question, after the one for reading
    Given the person who is asked says "once"
    When the agent calls multiedit with:
      """
      {"filePath": "notes/a.txt", "edits": [{"oldString": "one", "newString": "two"}, {"oldString": "two", "newString": "three"}]}
      """
    Then the call succeeds
    And the file "/home/user/project/notes/a.txt" has "three\n"
    And the question had:
      | access | edit |

  Scenario: A rule that denies is not asked about
    Given the person who is asked says "always"
    When the agent calls write with:
      | filePath | frozen/a.txt |
      | content  | text         |
    Then the call fails
    And the error has "Permission denied: Cannot edit /home/user/project/frozen/a.txt"
    And the error has "rule: deny edit frozen/**"
    And the person was not asked
    And there is nothing at "/home/user/project/frozen"

  Scenario: A dry run asks nobody
    Given the person who is asked says "no"
    And the calls are dry runs
    When the agent calls write with:
      """
      {"filePath": "notes/new.txt", "content": "two\n"}
      """
    Then the person was not asked
    And there is nothing at "/home/user/project/notes/new.txt"

  Scenario: Listing and finding ask nobody
    # Decided: one policy holds for all tools. What may not be read without a question is left out of lists, and counted.
    Given the person who is asked says "no"
    And a file "/home/user/project/src/a.ts" with "text"
    When the agent calls ls with:
      | dirPath | src |
    Then the output has the fields:
      | count | 1 |
    When the agent calls glob with:
      | pattern | **/* |
    Then the output has the fields:
      | files    | ["src/a.ts"] |
      | withheld | 2            |
    And the person was not asked

  Scenario: A directory outside is let in by a rule
    Given a file "/home/user/library/a.txt" with "outside\n"
    And the rules:
      """
      [[rules]]
      kind = "external_directory"
      pattern = "/home/user/library/**"
      action = "allow"
      """
    When the agent calls read with:
      | filePath | /home/user/library/a.txt |
    Then the call succeeds

  Scenario: A directory outside is let in by the person
    Given a file "/home/user/library/a.txt" with "outside\n"
    And the session "s1"
    And the person who is asked says "always"
    And the rules:
      """
      [[rules]]
      kind = "external_directory"
      pattern = "/home/user/library/**"
      action = "ask"
      """
    When the agent calls read with:
      | filePath | /home/user/library/a.txt |
    Then the call succeeds
    And the question had:
      | access | external_directory |

  Scenario: Secrets and what git obeys are protected without a rule of the user's
    Given a file "/home/user/project/.env" with "KEY=1\n"
    And a file "/home/user/project/.git/config" with "[core]\n"
    When the agent calls read with:
      | filePath | .env |
    Then the error has "Permission denied"
    When the agent calls write with:
      | filePath | .git/hooks/pre-commit |
      | content  | echo                  |
    Then the error has "Permission denied"
    And there is nothing at "/home/user/project/.git/hooks"
    When the agent calls write with:
      | filePath | .git/config |
      | content  | [alias]     |
    Then the error has "Permission denied"
    When the agent calls grep with:
      | pattern       | KEY  |
      | includeHidden | true |
    Then the call succeeds
    And the output has the fields:
      | files | [] |
