Feature: Schemas for providers
  The parameters of a tool are written once; every provider's form is made of them.

  Background:
    Given the workspace "/home/user"

  Scenario Outline: Every tool has a schema of its parameters in each form
    When the schemas are asked for in the form of "<form>"
    Then there is one schema for each tool, and it is that of its parameters

    Examples:
      | form      |
      | openai    |
      | anthropic |
      | mcp       |

  Scenario: OpenAI's form
    # The document's example gives offset a minimum of 0. Decided: 1, as the file tools have it.
    When the schemas are asked for in the form of "openai"
    Then the schema of Read has:
      | /type                                                | function      |
      | /function/name                                       | Read          |
      | /function/description                                | *             |
      | /function/parameters/type                            | object        |
      | /function/parameters/properties/file_path/type       | string        |
      | /function/parameters/properties/file_path/description | *            |
      | /function/parameters/properties/offset/type          | integer       |
      | /function/parameters/properties/offset/minimum       | 1             |
      | /function/parameters/properties/limit/minimum        | 1             |
      | /function/parameters/properties/limit/maximum        | 10000         |
      | /function/parameters/required                        | ["file_path"] |

  Scenario: Anthropic's form
    When the schemas are asked for in the form of "anthropic"
    Then the schema of Read has:
      | /name                                     | Read          |
      | /description                              | *             |
      | /input_schema/type                        | object        |
      | /input_schema/properties/file_path/type   | string        |
      | /input_schema/properties/offset/minimum   | 1             |
      | /input_schema/properties/limit/maximum    | 10000         |
      | /input_schema/required                    | ["file_path"] |

  Scenario: LangChain's form
    When the schemas are asked for in the form of "langchain"
    Then the schema of Read has:
      | /title                        | Read          |
      | /description                  | *             |
      | /properties/file_path/type    | string        |
      | /required                     | ["file_path"] |

  Scenario: The schemas of the file tools hold what the document gives
    When the schemas are asked for in the form of "openai"
    Then the schema of Edit has:
      | /function/parameters/properties/replace_all/type    | boolean                                   |
      | /function/parameters/properties/replace_all/default | false                                     |
      | /function/parameters/required                       | ["file_path", "old_string", "new_string"] |
    And the schema of Grep has:
      | /function/parameters/properties/output_mode/enum    | ["content", "files_with_matches", "count"] |
      | /function/parameters/properties/output_mode/default | files_with_matches                         |
      | /function/parameters/properties/-i/type             | boolean                                    |
      | /function/parameters/properties/-i/default          | false                                      |
      | /function/parameters/properties/-A/minimum          | 0                                          |
      | /function/parameters/properties/-B/minimum          | 0                                          |
      | /function/parameters/properties/-C/minimum          | 0                                          |
      | /function/parameters/properties/multiline/type      | boolean                                    |
      | /function/parameters/properties/head_limit/type     | integer                                    |
      | /function/parameters/properties/type/type           | string                                     |
      | /function/parameters/required                       | ["pattern"]                                |
    And the schema of Write has:
      | /function/parameters/required | ["file_path", "content"] |
    And the schema of Glob has:
      | /function/parameters/required | ["pattern"] |
