Feature: All or nothing
  Several edits, and a patch over several files, happen as a whole or not at all.

  Background:
    Given the workspace "/home/user"

  Scenario: Edits are made in order, each on what the one before left
    Given a file "/home/user/a.txt" with "one\n"
    When the agent calls MultiEdit with:
      """
      {"file_path": "/home/user/a.txt", "edits": [
        {"old_string": "one", "new_string": "two"},
        {"old_string": "two", "new_string": "three"}
      ]}
      """
    Then the call succeeds
    And the file "/home/user/a.txt" has "three\n"
    And the metadata has:
      | total_replacements | 2                                                                                |
      | results            | [{"replacements": 1, "match": "exact"}, {"replacements": 1, "match": "exact"}] |

  Scenario: One edit that fails takes the others with it
    Given a file "/home/user/a.txt" with "one\ntwo\n"
    When the agent calls MultiEdit with:
      """
      {"file_path": "/home/user/a.txt", "edits": [
        {"old_string": "one", "new_string": "1"},
        {"old_string": "absent", "new_string": "x"},
        {"old_string": "two", "new_string": "2"}
      ]}
      """
    Then the call fails
    And the error has "edit 2 of 3"
    And the file "/home/user/a.txt" has "one\ntwo\n"

  Scenario: A patch adds, changes, moves and deletes
    Given a file "/home/user/a.txt" with "one\ntwo\n"
    And a file "/home/user/old.txt" with "keep\nthis\n"
    And a file "/home/user/gone.txt" with "x\n"
    When the agent calls ApplyPatch with:
      """
      {"patch_text": "*** Begin Patch\n*** Add File: src/new.txt\n+fresh\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Update File: old.txt\n*** Move to: moved.txt\n@@\n keep\n-this\n+that\n*** Delete File: gone.txt\n*** End Patch\n"}
      """
    Then the call succeeds
    And the metadata has:
      | files_modified | 4 |
    And the file "/home/user/src/new.txt" has "fresh\n"
    And the file "/home/user/a.txt" has "one\n2\n"
    And the file "/home/user/moved.txt" has "keep\nthat\n"
    And there is nothing at "/home/user/old.txt"
    And there is nothing at "/home/user/gone.txt"

  Scenario: A patch over several files of which one does not fit changes none
    Given a file "/home/user/a.txt" with "one\ntwo\n"
    And a file "/home/user/b.txt" with "three\n"
    When the agent calls ApplyPatch with:
      """
      {"patch_text": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-four\n+4\n"}
      """
    Then the call fails
    And the error has "nothing was changed"
    And the error has "b.txt"
    And the file "/home/user/a.txt" has "one\ntwo\n"
    And the file "/home/user/b.txt" has "three\n"
    And there is nothing at "/home/user/new.txt"

  Scenario: A patch of which one file may not be changed changes none
    Given a file "/home/user/a.txt" with "one\n"
    And a file "/home/user/.env" with "KEY=1\n"
    When the agent calls ApplyPatch with:
      """
      {"patch_text": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-KEY=1\n+KEY=2\n"}
      """
    Then the call fails
    And the error has "Permission denied"
    And the file "/home/user/a.txt" has "one\n"

  Scenario: A patch of which one file the system refuses changes none
    Given a file "/home/user/a.txt" with "one\n"
    And a directory "/home/user/closed"
    And "/home/user/closed" is closed to ordinary users
    And the agent is an ordinary user
    When the agent calls ApplyPatch with:
      """
      {"patch_text": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ b/closed/new.txt\n@@ -0,0 +1 @@\n+new\n"}
      """
    Then the call fails
    And the error has "Permission denied"
    And the file "/home/user/a.txt" has "one\n"

  Scenario: A dry run of a patch shows it and changes nothing
    Given a file "/home/user/a.txt" with "one\n"
    And the calls are dry runs
    When the agent calls ApplyPatch with:
      """
      {"patch_text": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"}
      """
    Then the call succeeds
    And the output has "[Dry Run]"
    And the output has "-one\n+1"
    And the file "/home/user/a.txt" has "one\n"
