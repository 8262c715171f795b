Feature: The states of a call
  A call is received, validating, validated, then a dry run or executing, and it ends completed, failed, timed out or cancelled.
  The record says through which of them it went.

  Background:
    Given the workspace "/home/user"
    And a file "/home/user/a.txt" with "text\n"

  Scenario: Completed
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Then the call succeeds
    And the record says "received, validating, validated, executing, completed"

  Scenario: Failed because the parameters are wrong
    When the agent calls Read
    Then the call fails
    And the record says "received, validating, failed"

  Scenario: Failed while it was carried out
    When the agent calls Read with:
      | file_path | /home/user/missing.txt |
    Then the call fails
    And the record says "received, validating, validated, executing, failed"

  Scenario: A dry run of a tool that changes files
    Given the calls are dry runs
    When the agent calls Write with:
      | file_path | /home/user/a.txt |
      | content   | other            |
    Then the call succeeds
    And the output has "[Dry Run]"
    And the record says "received, validating, validated, dry_run, completed"
    And the file "/home/user/a.txt" has "text\n"

  Scenario: A dry run of a tool that cannot show what it would do
    Given the tool Launch of the tests
    And the calls are dry runs
    When the agent calls Launch
    Then the call succeeds
    And the output is "[Dry Run] Would execute Launch"
    And the record says "received, validating, validated, dry_run, completed"

  Scenario: A dry run of a tool that only reads
    # Decided: it runs as usual, since there is nothing to leave out.
    Given the calls are dry runs
    When the agent calls Read with:
      | file_path | /home/user/a.txt |
    Then the output is "     1\ttext"
    And the metadata has:
      | dry_run | true |
    And the record says "received, validating, validated, executing, completed"

  Scenario: Timed out
    Given the tool Endless of the tests
    And a time limit of 50 milliseconds
    When the agent calls Endless
    Then the call fails
    And the error has "Timed out"
    And the metadata has:
      | error_kind | timed_out |
    And the metadata has no "still_running"
    And the record says "received, validating, validated, executing, timed_out"

  Scenario: Cancelled
    Given the tool Endless of the tests
    And the caller cancels calls after 50 milliseconds
    When the agent calls Endless
    Then the call fails
    And the error has "ancelled"
    And the metadata has:
      | error_kind | cancelled |
    And the metadata has no "still_running"
    And the record says "received, validating, validated, executing, cancelled"

  Scenario: A tool that does not stop when it is told to is not waited for
    # Decided: the end of the time ends the work. Where a tool of somebody's own does not listen, the answer says so.
    Given the tool Deaf of the tests
    And a time limit of 50 milliseconds
    When the agent calls Deaf
    Then the call fails
    And the metadata has:
      | error_kind    | timed_out |
      | still_running | true      |
    And the record says "received, validating, validated, executing, timed_out"
