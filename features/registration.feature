Feature: Registration of the file tools

  Background:
    Given the workspace "/home/user"

  Scenario: All file tools are registered
    # The document names five; the dialect has MultiEdit, ApplyPatch and LS as well.
    Then these tools are registered:
      | Read       |
      | Write      |
      | Edit       |
      | MultiEdit  |
      | ApplyPatch |
      | LS         |
      | Glob       |
      | Grep       |
    And all tools are of the category file

  Scenario: File tools generate valid schemas
    When the schemas are asked for in the form of "openai"
    Then there is one schema for each tool, and it is that of its parameters
    And the schema of Read has:
      | /type                                               | function      |
      | /function/parameters/type                           | object        |
      | /function/parameters/required                       | ["file_path"] |
      | /function/parameters/properties/offset/minimum      | 1             |
      | /function/parameters/properties/limit/maximum       | 10000         |
