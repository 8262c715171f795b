Feature: Validation of parameters
  Before a tool runs, every parameter is held against what the tool asks for: is it there if it must be, has it the type, is it
  one of the choices, is it in range. The first fault is the answer, and it says what is wanted.

  Background:
    Given the workspace "/home/user"
    And a file "/home/user/a.txt" with "text\n"

  Scenario: A required parameter is missing
    When the agent calls Write with:
      | file_path | /home/user/b.txt |
    Then the call fails
    And the error has "Missing required parameter 'content'"
    And the record says "received, validating, failed"

  Scenario: A parameter that may be left out is left out
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Then the call succeeds
    And the metadata has:
      | offset | 1    |
      | limit  | 2000 |

  Scenario: A parameter has another type
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | limit     | [5]              |
    Then the call fails
    And the error has "Invalid type for parameter 'limit'"

  Scenario: A type that is certain to be a slip is taken as meant, and the answer says so
    When the agent calls Read with:
      """
      {"file_path": "/home/user/a.txt", "limit": "5"}
      """
    Then the call succeeds
    And the metadata has:
      | limit   | 5                                                                  |
      | coerced | [{"parameter": "limit", "given": "string", "used_as": "integer"}] |

  Scenario: A value is none of the choices
    When the agent calls Grep with:
      | pattern     | x     |
      | output_mode | lines |
    Then the call fails
    And the error has "Invalid value for parameter 'output_mode'"
    And the error has "files_with_matches"

  Scenario Outline: A number is out of range
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | <name>    | <value>          |
    Then the call fails
    And the error has "Parameter '<name>' is out of range: got <value>"

    Examples:
      | name   | value |
      | offset | 0     |
      | limit  | 0     |
      | limit  | 10001 |

  Scenario: A text is too short
    When the agent calls Read with:
      | file_path | |
    Then the call fails
    And the error has "file_path"

  Scenario: A parameter that the tool does not have
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
      | lmit      | 5                |
    Then the call fails
    And the error has "lmit"
    And the error has "limit"
