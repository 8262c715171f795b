Feature: Write
  Makes a file, or replaces all that is in one.

  Background:
    Given the workspace "/home/user"

  Scenario: Write new file
    Given nothing at "/home/user/new.txt"
    When the agent calls Write with:
      | file_path | /home/user/new.txt |
      | content   | Hello, World!      |
    Then the call succeeds
    And the file "/home/user/new.txt" has "Hello, World!"
    And the output has "Created"
    And the metadata has:
      | bytes_written | 13   |
      | created       | true |

  Scenario: Overwrite existing file
    # FR-2.2.2 wants an existing file to be read first; this scenario does not read it. Decided: a call that belongs to a session
    # must have read it there, a call without a session has no history to ask for. See sessions.feature.
    Given a file "/home/user/existing.txt" with "Old content"
    When the agent calls Write with:
      | file_path | /home/user/existing.txt |
      | content   | New content             |
    Then the call succeeds
    And the file "/home/user/existing.txt" has "New content"
    And the output has "Updated"
    And the metadata has:
      | created | false |

  Scenario: Write file creates parent directories
    Given nothing at "/home/user/new/nested/dir"
    When the agent calls Write with:
      | file_path | /home/user/new/nested/dir/file.txt |
      | content   | Content here                       |
    Then the call succeeds
    And "/home/user/new/nested/dir" is a directory
    And the file "/home/user/new/nested/dir/file.txt" has "Content here"

  Scenario: Write file with relative path
    When the agent calls Write with:
      | file_path | relative/path.txt |
      | content   | Content           |
    Then the call fails
    And the error has "must be an absolute path"
    And there is nothing at "/home/user/relative"

  Scenario: Write file in dry run mode
    # Document 002 lets the base answer a dry run with one line for every tool; document 003 expects a preview. Decided: a tool
    # that changes files does everything but the change, and shows what it would be.
    Given nothing at "/home/user/dryrun.txt"
    And the calls are dry runs
    When the agent calls Write with:
      | file_path | /home/user/dryrun.txt |
      | content   | Test content          |
    Then the call succeeds
    And the output has "[Dry Run]"
    And the output has "+Test content"
    And there is nothing at "/home/user/dryrun.txt"
    And the metadata has:
      | dry_run | true |

  Scenario: Write file with permission denied
    # The document's /root/protected lies outside the workspace, which is another refusal; so the directory is one inside.
    Given a directory "/home/user/protected"
    And "/home/user/protected" is closed to ordinary users
    And the agent is an ordinary user
    When the agent calls Write with:
      | file_path | /home/user/protected/file.txt |
      | content   | Content                       |
    Then the call fails
    And the error has "Permission denied"
    And there is nothing at "/home/user/protected/file.txt"

  Scenario: Write empty content
    When the agent calls Write with:
      | file_path | /home/user/empty.txt |
      | content   |                      |
    Then the call succeeds
    And the file "/home/user/empty.txt" has ""
    And the metadata has:
      | bytes_written | 0 |
