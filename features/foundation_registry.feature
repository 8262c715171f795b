Feature: The registry and the executor
  Tools are kept by name, and one executor carries all calls out and records them.

  Background:
    Given the workspace "/home/user"

  Scenario: A tool of one's own stands beside the others
    Given the tool Launch of the tests
    When the agent calls Launch
    Then the call succeeds
    And the output is "launched"

  Scenario: A name that nobody registered
    When the agent calls Raed with:
      | file_path | /home/user/a.txt |
    Then the call fails
    And the error is "Unknown tool 'Raed', did you mean 'Read'?"
    And the record says "received, validating, failed"

  Scenario: A name can be registered only once
    Given the tool Launch of the tests
    Then another tool named Launch is refused with "A tool named 'Launch' is registered already"

  Scenario: A tool that was taken out is gone
    When the tool Grep is taken out
    And the agent calls Grep with:
      | pattern | x |
    Then the call fails
    And the error has "Unknown tool 'Grep'"

  Scenario: The record of a call holds what was asked, under which circumstances, and what came of it
    Given a file "/home/user/a.txt" with "one\n"
    And the session "s1"
    And the agent "builder"
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Then 1 calls are recorded
    And the record has:
      | /tool_name            | Read             |
      | /parameters/file_path | /home/user/a.txt |
      | /context/working_dir  | /home/user       |
      | /context/session_id   | s1               |
      | /context/agent_id     | builder          |
      | /context/dry_run      | false            |
      | /context/timeout      | 120.0            |
      | /result/success       | true             |
      | /result/output        | *                |
      | /result/duration_ms   | *                |
      | /started_at           | *                |
      | /completed_at         | *                |
      | /duration_ms          | *                |

  Scenario: An output is bounded, and the answer says what is missing
    Given a file "/home/user/a.txt" of 1000 lines
    And an output of at most 200 bytes
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Then the call succeeds
    And the output has "Line 1"
    And the output does not have "Line 500"
    And the metadata has:
      | truncated   | true |
      | next_offset | *    |
