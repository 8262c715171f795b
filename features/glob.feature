Feature: Glob
  Finds files by their names.

  Background:
    Given the workspace "/home/user/project"

  Scenario: Find Python files recursively
    Given the files:
      | /home/user/project/src/main.py          |
      | /home/user/project/src/utils/helpers.py |
      | /home/user/project/tests/test_main.py   |
      | /home/user/project/README.md            |
    When the agent calls Glob with:
      | pattern | **/*.py            |
      | path    | /home/user/project |
    Then the call succeeds
    And the output has "src/main.py"
    And the output has "src/utils/helpers.py"
    And the output has "tests/test_main.py"
    And the output does not have "README.md"
    And the metadata has:
      | count | 3 |

  Scenario: Find files with specific pattern
    Given the files, the newest first:
      | /home/user/project/src/ui/Button.tsx |
      | /home/user/project/other/Page.tsx    |
      | /home/user/project/src/App.tsx       |
      | /home/user/project/src/app.ts        |
      | /home/user/project/src/ui/List.tsx   |
    When the agent calls Glob with:
      | pattern | src/**/*.tsx |
    Then the call succeeds
    And the output is:
      """
      /home/user/project/src/ui/Button.tsx
      /home/user/project/src/App.tsx
      /home/user/project/src/ui/List.tsx
      """

  Scenario: Glob excludes common directories
    Given the files:
      | /home/user/project/src/app.py                    |
      | /home/user/project/.git/objects/abc123           |
      | /home/user/project/node_modules/package/index.js |
      | /home/user/project/__pycache__/module.cpython    |
    When the agent calls Glob with:
      | pattern | **/* |
    Then the output has "src/app.py"
    And the output does not have ".git"
    And the output does not have "node_modules"
    And the output does not have "__pycache__"

  Scenario: Glob with no matches
    Given a file "/home/user/project/a.py" with ""
    When the agent calls Glob with:
      | pattern | **/*.xyz |
    Then the call succeeds
    And the output is ""
    And the metadata has:
      | count | 0 |

  Scenario: Glob limits results
    Given 2000 files "/home/user/project/src/module#.py" with ""
    When the agent calls Glob with:
      | pattern | **/*.py |
    Then the call succeeds
    And the output has "module" 1000 times
    And the metadata has:
      | count     | 1000 |
      | truncated | true |

  Scenario: Glob with default path
    Given a file "/home/user/project/src/inside.py" with ""
    And a file "/home/user/project/outside.py" with ""
    And the working directory "/home/user/project/src"
    When the agent calls Glob with:
      | pattern | *.py |
    Then the output is "/home/user/project/src/inside.py"

  Scenario: Glob directory not found
    Given nothing at "/home/user/project/nonexistent/path"
    When the agent calls Glob with:
      | pattern | **/*.py                             |
      | path    | /home/user/project/nonexistent/path |
    Then the call fails
    And the error has "Directory not found"
    # Decided: what lies outside the workspace is refused as such, whether it is there or not; an agent cannot find out which.
    When the agent calls Glob with:
      | pattern | **/*.py           |
      | path    | /nonexistent/path |
    Then the call fails
    And the error has "Path outside workspace: /nonexistent/path"
