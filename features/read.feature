Feature: Read
  Shows a file with its lines numbered, so that an agent can say which lines it means.

  Background:
    Given the workspace "/home/user"

  Scenario: Read entire text file
    Given a file "/home/user/test.txt" with:
      """
      Line 1
      Line 2
      Line 3
      """
    When the agent calls Read with:
      | file_path | /home/user/test.txt |
    Then the call succeeds
    And the output is:
      """
           1	Line 1
           2	Line 2
           3	Line 3
      """
    And the metadata has:
      | lines_read | 3 |

  Scenario: Read file with offset and limit
    Given a file "/home/user/large.txt" of 1000 lines
    When the agent calls Read with:
      | file_path | /home/user/large.txt |
      | offset    | 100                  |
      | limit     | 50                   |
    Then the call succeeds
    And line 1 of the output is "   100\tLine 100"
    And line 50 of the output is "   149\tLine 149"
    And the output has 50 lines
    And the metadata has:
      | lines_read | 50   |
      | offset     | 100  |
      | limit      | 50   |
      | truncated  | true |

  Scenario: Read non-existent file
    Given nothing at "/home/user/missing.txt"
    When the agent calls Read with:
      | file_path | /home/user/missing.txt |
    Then the call fails
    And the error is "File not found: /home/user/missing.txt"

  Scenario: Read directory instead of file
    Given a directory "/home/user/mydir"
    When the agent calls Read with:
      | file_path | /home/user/mydir |
    Then the call fails
    And the error has "Cannot read directory"

  Scenario: Read file with relative path
    Given a file "/home/user/test.txt" with "text\n"
    When the agent calls Read with:
      | file_path | test.txt |
    Then the call fails
    And the error has "must be an absolute path"

  Scenario: Read file with long lines
    Given a file "/home/user/long.txt" with "x" 3000 times
    When the agent calls Read with:
      | file_path | /home/user/long.txt |
    Then the call succeeds
    And the output has "x" 2000 times
    And the output has "xxx..."

  Scenario: Read binary file
    Given a file "/home/user/binary.exe" with the bytes "4d 5a 90 00 03 00 00 00 04 00 00 00 ff ff 00 00"
    When the agent calls Read with:
      | file_path | /home/user/binary.exe |
    Then the call fails
    And the error has "binary file"

  Scenario: Read file with permission denied
    # The document's /etc/shadow lies outside the workspace and is refused before the system is asked, see 'Path traversal
    # prevention'. So the file that may not be read is one inside.
    Given a file "/home/user/shadow" with "root:*:\n"
    And "/home/user/shadow" is closed to ordinary users
    And the agent is an ordinary user
    When the agent calls Read with:
      | file_path | /home/user/shadow |
    Then the call fails
    And the error is "Permission denied: /home/user/shadow"

  Scenario: Read file with encoding issues
    # 'café' once in UTF-8 and once in Latin-1.
    Given a file "/home/user/mixed.txt" with the bytes "63 61 66 c3 a9 20 63 61 66 c3 a9 0a 63 61 66 e9 20 21 0a"
    When the agent calls Read with:
      | file_path | /home/user/mixed.txt |
    Then the call succeeds
    And line 1 of the output is "     1\tcafé café"
    And line 2 of the output is "     2\tcaf\ufffd !"
