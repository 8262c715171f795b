Feature: Errors and paths of the ekacode dialect

  Background:
    Given the workspace "/home/user/project" in the ekacode dialect
    And a file "/home/user/project/src/a.txt" with "one\n"

  Scenario Outline: A path may be relative to the workspace or absolute
    When the agent calls read with:
      | filePath | <path> |
    Then the call succeeds
    And the metadata in the output has:
      | filePath | src/a.txt |

    Examples:
      | path                             |
      | src/a.txt                        |
      | ./src/a.txt                      |
      | /home/user/project/src/a.txt     |

  Scenario Outline: A path that leaves the workspace is refused by every tool
    Given a file "/home/user/secret.txt" with "secret\n"
    When the agent calls <tool> with <parameters>
    Then the call fails
    And the error has "Path outside workspace: "
    And the file "/home/user/secret.txt" has "secret\n"

    Examples:
      | tool      | parameters                                                                                      |
      | read      | {"filePath": "../secret.txt"}                                                                   |
      | read      | {"filePath": "/home/user/secret.txt"}                                                           |
      | write     | {"filePath": "../secret.txt", "content": "x"}                                                   |
      | edit      | {"filePath": "../secret.txt", "oldString": "secret", "newString": "x"}                          |
      | multiedit | {"filePath": "../secret.txt", "edits": [{"oldString": "secret", "newString": "x"}]}             |
      | ls        | {"dirPath": ".."}                                                                               |

  Scenario: File not found
    When the agent calls read with:
      | filePath | src/missing.txt |
    Then the error is "File not found: /home/user/project/src/missing.txt"

  Scenario: Permission denied by a rule
    Given a file "/home/user/project/.env" with "KEY=1\n"
    When the agent calls read with:
      | filePath | .env |
    Then the error is "Permission denied: Cannot read /home/user/project/.env (rule: deny read **/.env)"
    When the agent calls edit with:
      | filePath  | .env  |
      | oldString | KEY=1 |
      | newString | KEY=2 |
    Then the error has "Permission denied: Cannot"
    And the file "/home/user/project/.env" has "KEY=1\n"

  Scenario: A binary file
    Given a file "/home/user/project/data.bin" with the bytes "7f 45 4c 46 02 01 01 00 00 00 00 00"
    When the agent calls read with:
      | filePath | data.bin |
    Then the error has "Cannot read binary file: /home/user/project/data.bin"

  Scenario: A string that is not in the file
    When the agent calls edit with:
      | filePath  | src/a.txt |
      | oldString | two       |
      | newString | second    |
    Then the error has "String not found in file: \"two\""
    And the file "/home/user/project/src/a.txt" has "one\n"
    When the agent calls edit with:
      | filePath  | src/a.txt                                                              |
      | oldString | a text of many words, of which it is enough to show how they begin, so |
      | newString | second                                                                 |
    Then the error has "String not found in file: \"a text of many words, of which it is enough to sho...\""

  Scenario: Errors speak of the parameters by their names in this dialect
    When the agent calls edit with:
      | filePath  | src/a.txt |
      | oldString | one       |
      | newString | one       |
    Then the error is "oldString and newString must be different"
    When the agent calls multiedit with:
      """
      {"filePath": "src/a.txt", "edits": [{"oldString": "one", "newString": "two two"}, {"oldString": "two", "newString": "2"}]}
      """
    Then the error has "oldString found 2 times"
    And the error has "Use replaceAll=true"
