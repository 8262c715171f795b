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

  Scenario: Read image file
    Given a file "/home/user/photo.png" with the bytes "89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 00 01 00 00 00 01 08 02 00 00 00 90 77 53 de 00 00 00 0c 49 44 41 54 78 9c 63 f8 cf c0 00 00 03 01 01 00 c9 fe 92 ef 00 00 00 00 49 45 4e 44 ae 42 60 82"
    When the agent calls Read with:
      | file_path | /home/user/photo.png |
    Then the call succeeds
    And the metadata has:
      | is_image    | true      |
      | base64_data | *         |
      | mime_type   | image/png |

  Scenario: Read PDF file
    Given a file "/home/user/document.pdf" with:
      """
      %PDF-1.4
      1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
      2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 300 200]
        /Resources << /Font << /F 9 0 R >> >> >> endobj
      3 0 obj << /Type /Page /Parent 2 0 R /Contents 6 0 R >> endobj
      4 0 obj << /Type /Page /Parent 2 0 R /Contents 7 0 R >> endobj
      5 0 obj << /Type /Page /Parent 2 0 R /Contents 8 0 R >> endobj
      6 0 obj << /Length 40 >> stream
      BT /F 12 Tf 20 100 Td (Invoice) Tj ET   
      endstream endobj
      7 0 obj << /Length 40 >> stream
      BT /F 12 Tf 20 100 Td (Details) Tj ET   
      endstream endobj
      8 0 obj << /Length 40 >> stream
      BT /F 12 Tf 20 100 Td (Payment) Tj ET   
      endstream endobj
      9 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
      trailer << /Root 1 0 R /Size 10 >>
      %%EOF
      """
    When the agent calls Read with:
      | file_path | /home/user/document.pdf |
    Then the call succeeds
    And the output has "--- Page 1 ---"
    And the output has "Invoice"
    And the output has "--- Page 2 ---"
    And the output has "Details"
    And the output has "--- Page 3 ---"
    And the output has "Payment"
    And the metadata has:
      | is_pdf     | true |
      | page_count | 3    |

  Scenario: Read Jupyter notebook
    Given a file "/home/user/analysis.ipynb" with:
      """
      {
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [
          {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Sales"},
          {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "total = 40 + 2", "outputs": []},
          {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 2, "source": "print(total)",
           "outputs": [{"output_type": "stream", "name": "stdout", "text": "forty-two\n"}]},
          {"cell_type": "markdown", "id": "d", "metadata": {}, "source": "The end"},
          {"cell_type": "code", "id": "e", "metadata": {}, "execution_count": null, "source": "", "outputs": []}
        ]
      }
      """
    When the agent calls Read with:
      | file_path | /home/user/analysis.ipynb |
    Then the call succeeds
    And the output has "--- Cell 1"
    And the output has "--- Cell 5"
    And the output has "markdown"
    And the output has "code"
    And the output has "print(total)"
    And the output has "forty-two"
    And the metadata has:
      | is_notebook | true |
      | cell_count  | 5    |

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
