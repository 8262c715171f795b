Feature: Security
  No path leaves the workspace, however it is spelt and whatever it leads to.

  Background:
    Given the workspace "/home/user/project"

  Scenario: Path traversal prevention
    Given a file "/home/user/secret.txt" with "secret\n"
    When the agent calls Read with:
      | file_path | /home/user/project/../secret.txt |
    Then the call fails
    And the error is "Path outside workspace: /home/user/project/../secret.txt"
    When the agent calls Read with:
      | file_path | /home/user/project/../../../../../../../../etc/passwd |
    Then the call fails
    And the error has "Path outside workspace"
    When the agent calls Read with:
      | file_path | /etc/passwd |
    Then the call fails
    And the error is "Path outside workspace: /etc/passwd"
    When the agent calls Write with:
      | file_path | /home/user/project/../new.txt |
      | content   | text                          |
    Then the call fails
    And there is nothing at "/home/user/new.txt"

  Scenario: Symlink handling
    # Decided: a link that stays inside is followed, one that leaves is refused.
    Given a link "/home/user/project/link" to "/etc/passwd"
    And a file "/home/user/project/inside.txt" with "inside\n"
    And a link "/home/user/project/shortcut" to "inside.txt"
    When the agent calls Read with:
      | file_path | /home/user/project/link |
    Then the call fails
    And the error has "Path outside workspace: /home/user/project/link"
    When the agent calls Read with:
      | file_path | /home/user/project/shortcut |
    Then the output is "     1\tinside"
