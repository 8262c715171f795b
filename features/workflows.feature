Feature: Tools that work together

  Background:
    Given the workspace "/home/user"

  Scenario: Read-Edit-Verify workflow
    Given a file "/home/user/test.py" with "old_value = 1\n"
    And the session "s1"
    When the agent calls Read with:
      | file_path | /home/user/test.py |
    And the agent calls Edit with:
      | file_path  | /home/user/test.py |
      | old_string | old_value          |
      | new_string | new_value          |
    And the agent calls Read with:
      | file_path | /home/user/test.py |
    Then the output is "     1\tnew_value = 1"

  Scenario: Glob-Grep workflow
    Given the files:
      | /home/user/src/a.py    | class A:\n    pass\n   |
      | /home/user/src/b/b.py  | import a\nclass B(A):  |
      | /home/user/src/c.py    | print("no such thing") |
      | /home/user/src/d.css   | .class { }             |
    When the agent calls Glob with:
      | pattern | **/*.py |
    Then the metadata has:
      | count | 3 |
    When the agent calls Grep with:
      | pattern     | ^class  |
      | glob        | **/*.py |
      | output_mode | content |
      | -C          | 0       |
      | sort        | path    |
    Then the output is:
      """
      /home/user/src/a.py:1: class A:
      /home/user/src/b/b.py:2: class B(A):
      """

  Scenario: Write-Read roundtrip
    Given nothing at "/home/user/roundtrip.txt"
    When the agent calls Write with:
      """
      {"file_path": "/home/user/roundtrip.txt", "content": "first\n\n\ttabbed  \nüñí 漢字 🦀\nlast"}
      """
    And the agent calls Read with:
      | file_path | /home/user/roundtrip.txt |
    Then the output is:
      """
           1	first
           2	
           3		tabbed  
           4	üñí 漢字 🦀
           5	last
      """
    And the metadata has:
      | final_newline | false |
    And the file "/home/user/roundtrip.txt" has "first\n\n\ttabbed  \nüñí 漢字 🦀\nlast"
